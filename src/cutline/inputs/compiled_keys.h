/* What compiled.c does for one width of floats; it is included once for each, with FLOAT, KEY, BITS and NAMED defined.

   A key is a float as an unsigned integer of the same order. Both zeros are one key, and NaN is the last. */

#define NAN_KEY ((KEY) ~(KEY)0)
#define SIGN ((KEY)1 << (BITS - 1))

static KEY NAMED(key_of)(FLOAT value) {
    KEY bits;
    if (value != value) return NAN_KEY;
    memcpy(&bits, &value, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static FLOAT NAMED(float_of)(KEY key) {
    FLOAT value;
    if (key == NAN_KEY) return (FLOAT)NAN;
    key = key & SIGN ? key ^ SIGN : ~key;
    memcpy(&value, &key, sizeof value);
    return value;
}

/* The keys of the positives from the front on, those of the negatives from the end on. Each key is written to both
   places, of which the wrong one is written over later: so there is nothing to guess for the processor. */
static Py_ssize_t NAMED(split)(const FLOAT *scores, const uint8_t *is_positive, Py_ssize_t n, int descending, KEY *keys) {
    KEY *front = keys, *end = keys + n;
    for (Py_ssize_t i = 0; i < n; i++) {
        KEY key = NAMED(key_of)(descending ? (FLOAT)0 - scores[i] : scores[i] + (FLOAT)0);
        int mine = is_positive[i] != 0;
        *front = key;
        end[-1] = key;
        front += mine;
        end -= !mine;
    }
    return front - keys;
}

/* Add each case to the cell of its score, which is a whole number of steps from the first one: two cells a step, of the
   negatives and of the positives. 0 if a score lies between two steps, or beyond the cells. Adding and taking away what
   leaves no room for a fraction rounds, to even as rint does, what is small beside it. */
static int NAMED(count)(const FLOAT *scores, const uint8_t *is_positive, Py_ssize_t n, FLOAT steps, FLOAT first,
                        int64_t *cells, Py_ssize_t most) {
    for (Py_ssize_t i = 0; i < n; i++) {
        FLOAT step = (scores[i] * steps + ROUNDS) - ROUNDS, from_first = step - first;
        if (!(step / steps == scores[i] && from_first >= 0 && from_first < (FLOAT)most)) return 0; /* NaN too */
        cells[2 * (Py_ssize_t)from_first + (is_positive[i] != 0)]++;
    }
    return 1;
}

static void NAMED(insert)(KEY *keys, Py_ssize_t n) {
    for (Py_ssize_t i = 1; i < n; i++) {
        KEY key = keys[i];
        Py_ssize_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* Distribute the keys by the highest digits in which they differ, the lowest of these first, then sort each group of keys
   that these digits do not tell apart by its further digits. */
static void NAMED(sort)(KEY *keys, KEY *spare, Py_ssize_t n) {
    if (n <= FEW) {
        NAMED(insert)(keys, n);
        return;
    }
    KEY differ = 0, *from = keys, *to = spare;
    for (Py_ssize_t i = 1; i < n; i++) differ |= keys[i] ^ keys[0];
    int top = 0, passes = passes_for(n);
    while (top < BITS && differ >> top) top++;
    int low = top > DIGIT * passes ? top - DIGIT * passes : 0;
    passes = (top - low + DIGIT - 1) / DIGIT;
    Py_ssize_t count[MOST_PASSES][DIGITS];
    memset(count, 0, passes * sizeof count[0]);
    for (Py_ssize_t i = 0; i < n; i++)
        for (int pass = 0; pass < passes; pass++) count[pass][(keys[i] >> (low + DIGIT * pass)) & (DIGITS - 1)]++;
    for (int pass = 0; pass < passes; pass++) {
        Py_ssize_t *place = count[pass], before = 0;
        int shift = low + DIGIT * pass;
        for (int digit = 0; digit < DIGITS; digit++) {
            Py_ssize_t here = place[digit];
            place[digit] = before;
            before += here;
        }
        for (Py_ssize_t i = 0; i < n; i++) to[place[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
        KEY *other = from;
        from = to;
        to = other;
    }
    if (from != keys) memcpy(keys, from, n * sizeof(KEY));
    if (!low) return;
    for (Py_ssize_t start = 0, i = 1; i <= n; i++) {
        if (i < n && keys[i] >> low == keys[start] >> low) continue;
        if (i - start > 1) NAMED(sort)(keys + start, spare + start, i - start);
        start = i;
    }
}

/* One cell for each key, with the number of cases of each class that have it; each NaN is a cell of its own. */
static Py_ssize_t NAMED(merge)(const KEY *keys, Py_ssize_t positives, Py_ssize_t n, FLOAT *key, int64_t *pos, int64_t *neg) {
    const KEY *p = keys, *p_end = keys + positives, *q = p_end, *q_end = keys + n;
    Py_ssize_t cell = 0, nan_pos = 0, nan_neg = 0;
    for (; p < p_end && p_end[-1] == NAN_KEY; p_end--) nan_pos++;
    for (; q < q_end && q_end[-1] == NAN_KEY; q_end--) nan_neg++;
    for (; p < p_end && q < q_end; cell++) {
        KEY least = *p < *q ? *p : *q;
        pos[cell] = *p == least; /* and not a branch, which the processor would guess wrong every second time */
        neg[cell] = *q == least;
        p += pos[cell];
        q += neg[cell];
        for (; p < p_end && *p == least; p++) pos[cell]++;
        for (; q < q_end && *q == least; q++) neg[cell]++;
        key[cell] = NAMED(float_of)(least);
    }
    for (; p < p_end || q < q_end; cell++) {
        KEY least = p < p_end ? *p : *q;
        pos[cell] = neg[cell] = 0;
        for (; p < p_end && *p == least; p++) pos[cell]++;
        for (; q < q_end && *q == least; q++) neg[cell]++;
        key[cell] = NAMED(float_of)(least);
    }
    for (; nan_pos + nan_neg; cell++) {
        key[cell] = NAMED(float_of)(NAN_KEY);
        pos[cell] = nan_pos > 0;
        neg[cell] = nan_pos == 0;
        *(nan_pos ? &nan_pos : &nan_neg) -= 1;
    }
    return cell;
}

#undef NAN_KEY
#undef SIGN
