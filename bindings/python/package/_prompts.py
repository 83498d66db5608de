"""Texts that stand before those that `encode` takes, by name, and the file that sentence_transformers writes them to
in the folder of a model's weights. Knows no tokenizer and no model.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from ._beside import object_of, path_beside

CONFIG = "config_sentence_transformers.json"


def _check(path: str, what: str, value: Any, kind: type, words: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise ValueError("%s: %s is %.60r; expected %s" % (path, what, value, words))


def config_beside(weights: Any) -> Optional[Dict[str, Any]]:
    """What the file in the folder of the weights says, with `prompts` that are texts; None where there is no file."""
    path = path_beside(weights, CONFIG)
    if path is None:
        return None
    config = object_of(path, "the JSON of sentence_transformers")
    prompts = config.get("prompts")
    _check(path, "prompts", prompts, dict, "an object of texts")
    for name, prompt in (prompts or {}).items():
        _check(path, "the prompt %r" % name, prompt, str, "a text")
    for name in ("default_prompt_name", "similarity_fn_name"):
        _check(path, name, config.get(name), str, "a text")
    return config


class Prompts(NamedTuple):
    """Prompts by name, the name of the one that calls take that name none, and the text where there is no such name."""

    by_name: Dict[str, str]
    default_name: Optional[str]
    default: str
    is_whole: bool  # whether by_name has all that the model's folder had

    def choose(self, prompt: Optional[str], name: Optional[str]) -> str:
        """The prompt of a call."""
        name = name if name is not None else self.default_name
        if prompt is not None or name is None:
            return self.default if prompt is None else prompt
        if name not in self.by_name:
            raise ValueError("prompt_name is %r; expected one of %s" % (name, sorted(self.by_name)))
        return self.by_name[name]

    def name_for(self, names: Sequence[str]) -> Optional[str]:
        """The first of some names that has a prompt here. None where it is empty and the model's spec has a text for
        all, but no prompts by name: only the file in the folder of the weights, which is not there then, could say that
        a task goes without.
        """
        name = next((name for name in names if name in self.by_name), None)
        return name if name is None or self.by_name[name] or self.is_whole or not self.default else None


def prompts_of(config: Optional[Dict[str, Any]], recorded: str, named: Dict[str, str]) -> Prompts:
    """Those of a file; without one, those that the model's spec records: a text for all, and others by name."""
    by_name = {"query": "", "document": ""}  # which sentence_transformers always has
    if config is None:
        return Prompts({**by_name, **named}, None, recorded, bool(named))
    by_name.update({name: prompt or "" for name, prompt in (config.get("prompts") or {}).items()})
    return Prompts(by_name, config.get("default_prompt_name"), "", True)


def with_prompt(texts: List[Any], prompt: str) -> List[Any]:
    """The texts with a prompt before each."""
    if not prompt:
        return texts
    return [prompt + text if isinstance(text, str) else (prompt + text[0], *text[1:]) for text in texts]
