"""Arrays handed to other libraries without a copy: CUDA array interface and DLPack."""
from __future__ import annotations

import ctypes
from typing import Any

# What other libraries call a device: 1 memory of the host, 2 of a CUDA device.
CPU, CUDA = 1, 2
_CODES = {"f": 2, "i": 0, "u": 1}  # kDLFloat, kDLInt, kDLUInt
_NAME = b"dltensor"


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("tensor", _DLTensor), ("manager", ctypes.c_void_p),
                             ("deleter", _DELETER)]
_lent: dict[int, tuple[Any, ...]] = {}  # address of a managed tensor: all that must live as long as it


@_DELETER
def _delete(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


@_DESTRUCTOR
def _unused(capsule: Any) -> None:
    """A capsule that nobody took (its name would be another then)."""
    if _is_valid(capsule, _NAME):
        _lent.pop(_pointer(capsule, _NAME), None)


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR]


def capsule(owner: object, address: int, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...],
            device: tuple[int, int]) -> Any:
    """A DLPack capsule of memory that `owner` keeps alive; strides in bytes, device (type, id)."""
    size = int(dtype[1])
    dims = (ctypes.c_int64 * len(shape))(*shape)
    steps = (ctypes.c_int64 * len(shape))(*[s // size for s in strides])
    managed = _DLManagedTensor(deleter=_delete)
    managed.tensor = _DLTensor(data=address, device_type=device[0], device_id=device[1],
                               ndim=len(shape), code=_CODES[dtype[0]], bits=8 * size, lanes=1,
                               shape=dims, strides=steps, byte_offset=0)
    where = ctypes.addressof(managed)
    _lent[where] = (managed, dims, steps, owner)
    return _new(where, _NAME, _unused)


def lent() -> int:
    """How many tensors other libraries hold."""
    return len(_lent)
