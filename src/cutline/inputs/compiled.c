/* The unweighted aggregation of arrays.py, compiled: the cases split into classes, each sorted by its digits, both merged;
   that of counting.py, of scores on a grid; and the counts of a resample, of row_counts.py.

   It gives the same as numpy does there, to the bit, in a fraction of the time, and cutline works without it. numpy's
   sort compares; this one distributes, so that it is as fast on every processor and hardly slower on long columns. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define DIGIT 8
#define DIGITS (1 << DIGIT)
#define MOST_PASSES 4
#define FEW 24 /* keys that are sorted by insertion */

/* How many digits tell most of n different keys apart. */
static int passes_for(Py_ssize_t n) { return n < 1 << 13 ? 2 : n < 1 << 18 ? 3 : MOST_PASSES; }

#define FLOAT double
#define KEY uint64_t
#define BITS 64
#define ROUNDS 6755399441055744.0 /* 1.5 * 2^52 */
#define NAMED(name) name##_64
#include "compiled_keys.h"
#undef FLOAT
#undef KEY
#undef BITS
#undef ROUNDS
#undef NAMED

#define FLOAT float
#define KEY uint32_t
#define BITS 32
#define ROUNDS 12582912.0f /* 1.5 * 2^23 */
#define NAMED(name) name##_32
#include "compiled_keys.h"

/* Buffers come from numpy arrays of one memory block; their lengths are compared, so that no call can leave them. */
static int fits(int is_so, Py_buffer *views, int count) {
    if (!is_so) {
        for (int i = 0; i < count; i++) PyBuffer_Release(&views[i]);
        PyErr_SetString(PyExc_ValueError, "the arrays do not belong together");
    }
    return is_so;
}

static PyObject *split(PyObject *self, PyObject *args) {
    Py_buffer view[3];
    int descending;
    Py_ssize_t positives;
    if (!PyArg_ParseTuple(args, "y*y*pw*", &view[0], &view[1], &descending, &view[2])) return NULL;
    Py_ssize_t n = view[1].len;
    if (!fits((view[0].len == 8 * n || view[0].len == 4 * n) && view[2].len == view[0].len, view, 3)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (view[0].len == 8 * n)
        positives = split_64(view[0].buf, view[1].buf, n, descending, view[2].buf);
    else
        positives = split_32(view[0].buf, view[1].buf, n, descending, view[2].buf);
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 3; i++) PyBuffer_Release(&view[i]);
    return PyLong_FromSsize_t(positives);
}

static PyObject *count(PyObject *self, PyObject *args) {
    Py_buffer view[3];
    double steps, first;
    int is_on_grid;
    if (!PyArg_ParseTuple(args, "y*y*ddw*", &view[0], &view[1], &steps, &first, &view[2])) return NULL;
    Py_ssize_t n = view[1].len, most = view[2].len / 16;
    if (!fits((view[0].len == 8 * n || view[0].len == 4 * n) && view[2].len == 16 * most, view, 3)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (view[0].len == 8 * n)
        is_on_grid = count_64(view[0].buf, view[1].buf, n, steps, first, view[2].buf, most);
    else
        is_on_grid = count_32(view[0].buf, view[1].buf, n, (float)steps, (float)first, view[2].buf, most);
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 3; i++) PyBuffer_Release(&view[i]);
    return PyBool_FromLong(is_on_grid);
}

static PyObject *sort(PyObject *self, PyObject *args) {
    Py_buffer view[2];
    int bits;
    if (!PyArg_ParseTuple(args, "w*w*i", &view[0], &view[1], &bits)) return NULL;
    if (!fits(view[0].len == view[1].len && (bits == 64 || bits == 32), view, 2)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (bits == 64)
        sort_64(view[0].buf, view[1].buf, view[0].len / 8);
    else
        sort_32(view[0].buf, view[1].buf, view[0].len / 4);
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 2; i++) PyBuffer_Release(&view[i]);
    Py_RETURN_NONE;
}

static PyObject *merge(PyObject *self, PyObject *args) {
    Py_buffer view[4];
    Py_ssize_t positives, cells;
    if (!PyArg_ParseTuple(args, "y*nw*w*w*", &view[0], &positives, &view[1], &view[2], &view[3])) return NULL;
    Py_ssize_t n = view[2].len / 8;
    int is_so = (view[0].len == 8 * n || view[0].len == 4 * n) && view[1].len == view[0].len;
    if (!fits(is_so && view[3].len == view[2].len && 0 <= positives && positives <= n, view, 4)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (view[0].len == 8 * n)
        cells = merge_64(view[0].buf, positives, n, view[1].buf, view[2].buf, view[3].buf);
    else
        cells = merge_32(view[0].buf, positives, n, view[1].buf, view[2].buf, view[3].buf);
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 4; i++) PyBuffer_Release(&view[i]);
    return PyLong_FromSsize_t(cells);
}

/* Of each kind the sum of the counts that the parts of its rows stand for, and the rows whose part stands for no single one;
   row_counts.py explains. How many of these there are, or -1 if a kind has no rows. */
static Py_ssize_t sum_counts(const uint16_t *part, Py_ssize_t n, const int8_t *count_of, const int64_t *starts, Py_ssize_t kinds,
                             int64_t *sums, int64_t *undecided) {
    Py_ssize_t open = 0;
    for (Py_ssize_t kind = 0; kind < kinds; kind++) {
        int64_t row = starts[kind], end = kind + 1 < kinds ? starts[kind + 1] : n, sum = 0;
        if (row < 0 || row >= end || end > n) return -1;
        for (; row < end; row++) {
            int8_t count = count_of[part[row]];
            if (count < 0)
                undecided[open++] = row;
            else
                sum += count;
        }
        sums[kind] = sum;
    }
    return open;
}

static PyObject *draw(PyObject *self, PyObject *args) {
    Py_buffer view[5];
    Py_ssize_t open;
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*", &view[0], &view[1], &view[2], &view[3], &view[4])) return NULL;
    Py_ssize_t n = view[0].len / 2, kinds = view[2].len / 8;
    int is_so = view[1].len == 1 << 16 && view[3].len == view[2].len && view[4].len == 8 * n;
    if (!fits(is_so, view, 5)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    open = sum_counts(view[0].buf, n, view[1].buf, view[2].buf, kinds, view[3].buf, view[4].buf);
    Py_END_ALLOW_THREADS
    if (!fits(open >= 0, view, 5)) return NULL;
    for (int i = 0; i < 5; i++) PyBuffer_Release(&view[i]);
    return PyLong_FromSsize_t(open);
}

static PyMethodDef methods[] = {
    {"split", split, METH_VARARGS, "split(scores, is_positive, descending, keys): the keys of the positives, then the others'; how many"},
    {"count", count, METH_VARARGS, "count(scores, is_positive, steps, first, cells): add the cases to their cells; whether all have one"},
    {"sort", sort, METH_VARARGS, "sort(keys, spare, bits): in place; spare is as long, and is written over"},
    {"merge", merge, METH_VARARGS, "merge(keys, positives, key, pos, neg): the cells of both sorted classes; how many there are"},
    {"draw", draw, METH_VARARGS, "draw(parts, count_of, starts, sums, undecided): the counts of kinds of rows; how many rows are undecided"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "compiled", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_compiled(void) { return PyModule_Create(&module); }
