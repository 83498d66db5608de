-- hf/camembert.lua: CamembertModel and French sentence encoders made from one: RobertaModel under other names of its
-- architectures; its files have the prefix of a RobertaModel.
return require("import.hf.common").renamed(require "import.hf.roberta", "Roberta", "Camembert")
