"""The door: predictions go in, from arrays, frames and files, and a valid ranking comes out."""
