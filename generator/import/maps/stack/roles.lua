-- roles: every weight of a whole model under the name its role has here (`info` lists them), layers.0.q_weight and so
-- on: for what no other library's module has in one.
return { roles = true }
