/* What Python sees of a prebuilt library. `table.h`, which the build writes, defines

       const struct entry ENTRIES[]   what Python calls: name, machine code, arguments, result
       const struct late LATE[]       what machine code calls by address
       SOURCES                        the hash over the sources
       IS_SUPPORTED                   an expression: can this processor run it?

   An entry takes one array of words. In: of a record the address of its table, of an array its address and
   dimensions, of a number itself. Out: the result is word 0. */

#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum kind { RECORD, FLOATS, INTEGERS, INTEGER, NUMBER, TRUTH, NOTHING };

struct argument {
    enum kind kind;
    int dimensions;
    int is_written;
    uint64_t stamp;
};

struct entry {
    const char *name;
    void (*function)(int64_t *);
    const struct argument *arguments;
    int count;
    enum kind result;
};

struct late {
    const char *name;
    void *function;
};

#include "table.h"

#define MAX_ARGUMENTS 16
#define MAX_WORDS 64

/* Machine code says here that a kernel raised an exception, as a wrong index of a tuple does. */
static int failed;

void tribo_failed(void)
{
    __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

static PyObject *fallback, *stamp_name, *address_name;

static int attribute(PyObject *owner, PyObject *name, int64_t *value)
{
    PyObject *found = PyObject_GetAttr(owner, name);
    if (!found)
        return 0;
    *value = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return !(*value == -1 && PyErr_Occurred());
}

/* Write the words of one argument; return their number, 0 if it does not fit. */
static int words_of(const struct argument *is, PyObject *given, int64_t *words, Py_buffer *held, int *holds)
{
    double number;
    int64_t stamp;
    const char *format;
    switch (is->kind) {
    case RECORD:
        if (!attribute(given, stamp_name, &stamp) || (uint64_t)stamp != is->stamp)
            return 0;
        return attribute(given, address_name, words) ? 1 : 0;
    case FLOATS:
    case INTEGERS:
        if (PyObject_GetBuffer(given, &held[*holds], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT |
                                                         (is->is_written ? PyBUF_WRITABLE : 0)))
            return 0;
        ++*holds;
        format = held[*holds - 1].format;
        if (held[*holds - 1].ndim != is->dimensions || held[*holds - 1].itemsize != 8 || !format ||
            strlen(format) != 1 || !strchr(is->kind == FLOATS ? "d" : "lq", *format))
            return 0;
        words[0] = (int64_t)held[*holds - 1].buf;
        for (int axis = 0; axis < is->dimensions; axis++)
            words[1 + axis] = held[*holds - 1].shape[axis];
        return 1 + is->dimensions;
    case INTEGER: {
        PyObject *whole = PyNumber_Index(given);
        if (!whole)
            return 0;
        *words = PyLong_AsLongLong(whole);
        Py_DECREF(whole);
        return *words == -1 && PyErr_Occurred() ? 0 : 1;
    }
    case NUMBER:
        number = PyFloat_AsDouble(given);
        memcpy(words, &number, 8);
        return number == -1.0 && PyErr_Occurred() ? 0 : 1;
    case TRUTH:
        *words = PyObject_IsTrue(given);
        return *words < 0 ? 0 : 1;
    default:
        return 0;
    }
}

static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    const struct entry *entry = PyCapsule_GetPointer(self, NULL);
    int64_t words[MAX_WORDS];
    Py_buffer held[MAX_ARGUMENTS];
    int holds = 0, fits, used = 0;
    double number;
    if (!entry)
        return NULL;
    fits = count == entry->count;
    for (int k = 0; fits && k < entry->count; k++) {
        int more = words_of(&entry->arguments[k], arguments[k], words + used, held, &holds);
        fits = more > 0;
        used += more;
    }
    if (fits) {
        PyThreadState *state = PyEval_SaveThread();
        entry->function(words);
        PyEval_RestoreThread(state);
    }
    while (holds)
        PyBuffer_Release(&held[--holds]);
    if (!fits) {
        PyObject *given, *result;
        PyErr_Clear();
        given = PyTuple_New(count);
        if (!given)
            return NULL;
        for (Py_ssize_t k = 0; k < count; k++) {
            Py_INCREF(arguments[k]);
            PyTuple_SetItem(given, k, arguments[k]);
        }
        result = PyObject_CallFunction(fallback, "sO", entry->name, given);
        Py_DECREF(given);
        return result;
    }
    if (__atomic_load_n(&failed, __ATOMIC_RELAXED)) {
        __atomic_store_n(&failed, 0, __ATOMIC_RELAXED);
        PyErr_Format(PyExc_RuntimeError, "a kernel in %s raised an exception; NUMBA_DISABLE_JIT=1 shows which",
                     entry->name);
        return NULL;
    }
    switch (entry->result) {
    case INTEGER:
        return PyLong_FromLongLong(words[0]);
    case NUMBER:
        memcpy(&number, words, 8);
        return PyFloat_FromDouble(number);
    case TRUTH:
        return PyBool_FromLong(words[0] != 0);
    default:
        Py_INCREF(Py_None);
        return Py_None;
    }
}

static PyObject *set_fallback(PyObject *self, PyObject *function)
{
    PyObject *before = fallback;
    (void)self;
    Py_INCREF(function);
    fallback = function;
    Py_DECREF(before);
    Py_INCREF(Py_None);
    return Py_None;
}

static PyMethodDef DEFINITIONS[sizeof ENTRIES / sizeof *ENTRIES];

static PyMethodDef METHODS[] = {
    {"set_fallback", set_fallback, METH_O,
     "Set what is called with name and arguments of an entry whose arguments do not fit."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "tribo_kernels", "Kernels of tribo as machine code.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

static int add(PyObject *module, const char *name, PyObject *value)
{
    int failed = !value || PyModule_AddObjectRef(module, name, value);
    Py_XDECREF(value);
    return failed;
}

static int put(PyObject *dictionary, const char *name, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(dictionary, name, value);
    Py_XDECREF(value);
    return failed;
}

PyMODINIT_FUNC PyInit_tribo_kernels(void)
{
    PyObject *entries = PyDict_New(), *late = PyDict_New(), *module = PyModule_Create(&MODULE);
    Py_INCREF(Py_None);
    fallback = Py_None;
    stamp_name = PyUnicode_InternFromString("stamp");
    address_name = PyUnicode_InternFromString("address");
    if (!entries || !late || !module || !stamp_name || !address_name)
        return NULL;
    for (size_t k = 0; k < sizeof ENTRIES / sizeof *ENTRIES; k++) {
        PyObject *self = PyCapsule_New((void *)&ENTRIES[k], NULL, NULL);
        const char *dot = strrchr(ENTRIES[k].name, '.');
        PyMethodDef *definition = &DEFINITIONS[k];
        definition->ml_name = dot ? dot + 1 : ENTRIES[k].name;
        definition->ml_meth = (PyCFunction)(void (*)(void))call;
        definition->ml_flags = METH_FASTCALL;
        if (!self || put(entries, ENTRIES[k].name, PyCFunction_New(definition, self)))
            return NULL;
        Py_DECREF(self);
    }
    for (size_t k = 0; k < sizeof LATE / sizeof *LATE; k++)
        if (put(late, LATE[k].name, PyLong_FromVoidPtr(LATE[k].function)))
            return NULL;
    if (add(module, "entries", entries) || add(module, "late", late) ||
        add(module, "sources", PyUnicode_FromString(SOURCES)) ||
        add(module, "is_supported", PyBool_FromLong(IS_SUPPORTED)))
        return NULL;
    return module;
}
