-- hf/gte.lua: GteModel (snowflake-arctic-embed-m-v2.0): NewModel by another name.
return require("import.hf.common").renamed(require "import.hf.new", "New", "Gte")
