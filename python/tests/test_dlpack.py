"""Arrays of other libraries, without copies."""

import numpy as np
import pytest

import senet


def test_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    env = senet.VecEnv("connect_four", 16)
    obs, mask, player = env.reset()
    tensors = [torch.from_dlpack(obs), torch.from_dlpack(player), torch.from_numpy(mask)]
    assert [tensor.dtype for tensor in tensors] == [torch.float32, torch.int8, torch.bool]
    assert [tensor.data_ptr() for tensor in tensors] == [a.ctypes.data for a in (obs, player, mask)]
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8):
        before = tensors[0].clone()
        env.step(torch.full((16,), 3, dtype=dtype))
        assert not torch.equal(before, tensors[0]) and np.array_equal(tensors[0].numpy(), env.obs)
    env.step(torch.from_dlpack(env.sample()))
    with pytest.raises(TypeError):
        env.step(torch.zeros(16))


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    env = senet.VecEnv("connect_four", 64)
    obs, _, _ = env.reset()
    array = jax.dlpack.from_dlpack(obs)
    assert array.unsafe_buffer_pointer() == obs.ctypes.data
    for dtype in ("int8", "int32", "uint8"):
        env.step(jax.numpy.full(64, 3, dtype))
    assert env.texts() == ["7/7/7/3X3/3O3/3X3"] * 64
    with pytest.raises(TypeError):
        env.step(jax.numpy.zeros(64))
