-- fill.lua: templates of texts that are no C: a file of templates/ with each @word@ replaced. For languages in which
-- ${...} and $ at the beginning of a line, which template.lua reads, mean something themselves.
local fs = require "base.fs"

-- The text of a template with its words filled in; an error names a word that it is not given.
return function(template, words)
  local text = assert(fs.read("templates/" .. template))
  return (text:gsub("@([%l_]+)@", function(word)
    return words[word] or error(("templates/%s: nothing is called @%s@"):format(template, word))
  end))
end
