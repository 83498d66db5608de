-- hf/xlm_roberta.lua: XLMRobertaModel and multilingual sentence encoders made from one: RobertaModel under other names
-- of its architectures.
return require("import.hf.common").renamed(require "import.hf.roberta", "Roberta", "XLMRoberta")
