"""senet.Network in PyTorch: the same layers and names, to train, and back.

    module = senet.torch.Module(senet.Network("latest.safetensors"))
    logits, outcomes = module(features)          # both before softmax
    module.to_network().save("trained.safetensors")
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from ._core import Network

__all__ = ["Module"]


class Module(nn.Module):
    """The layers of a network as a PyTorch module.

    Its state_dict has the names and shapes of Network.state_dict(). A new network begins from
    Network.untrained(spec).
    """

    def __init__(self, network: Network):
        super().__init__()
        self.spec = network.spec
        self.plan = network.plan
        for name, tensor in network.state_dict().items():
            *path, last = name.split(".")
            owner = self
            for part in path:
                if not hasattr(owner, part):
                    owner.add_module(part, nn.Module())
                owner = getattr(owner, part)
            owner.register_parameter(last, nn.Parameter(torch.from_numpy(tensor)))

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor]:
        """Evaluates [n, features] f32.

        Returns the policy's logits [n, policy_logits] (None without a policy head; of a dueling
        network [n, policy_logits * outcomes], its advantages) and the outcomes' logits
        [n, outcomes], whose softmax is their probabilities.
        """
        values = [features]
        for layer in self.plan["layers"]:
            value = values[layer["in"]]
            if layer["kind"] == "linear":
                value = functional.linear(
                    value, self.get_parameter(layer["weight"]), self.get_parameter(layer["bias"])
                )
                if layer["added"] is not None:
                    value = value + values[layer["added"]]
            elif layer["kind"] == "norm_relu":
                value = functional.layer_norm(
                    value,
                    value.shape[-1:],
                    self.get_parameter(layer["weight"]),
                    self.get_parameter(layer["bias"]),
                    self.plan["norm_epsilon"],
                )
                value = functional.relu(value)
            else:
                value = functional.relu(value)
            values.append(value)
        policy = self.plan["policy"]
        return None if policy is None else values[policy], values[self.plan["outcomes"]]

    @torch.no_grad()
    def evaluator(self, obs, mask):
        """An evaluator for senet.search(): NumPy arrays in and out, on the module's device."""
        device = next(self.parameters()).device
        logits, outcomes = self(torch.from_numpy(obs).to(device))
        outcomes = functional.softmax(outcomes, dim=-1).cpu()
        return None if logits is None else logits.cpu(), outcomes

    def to_network(self) -> Network:
        """A senet.Network with the current parameters, which are copied."""
        tensors = {name: t.detach().cpu().float().numpy() for name, t in self.state_dict().items()}
        return Network.from_state_dict(self.spec, tensors)
