-- search.sql: texts of a table found by meaning, in the program sqlite3:
--
--     sqlite3 :memory: ".load out/lib/sqlite_encoder" ".read examples/search.sql"
--
-- The weights of examples/encoder.lua are encoder.safetensors in the present folder, with the model's tokenizer.json
-- beside them.

SELECT encoder_load('encoder.safetensors');

-- Vectors are kept beside the texts, so that a search embeds its question alone.
CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT NOT NULL, vector BLOB);
INSERT INTO notes(body) VALUES ('the cat sat on the mat'), ('a dog'), ('cats on mats'), ('the dog sat');
UPDATE notes SET vector = encoder(body);

-- The texts that are nearest to a question, the best first.
SELECT round(found.score, 3), notes.body
  FROM encoder_nearest('notes', 'vector', 'a cat on a mat', 3) AS found JOIN notes ON notes.id = found.id
  ORDER BY found.score DESC;

-- How near two texts are.
SELECT round(cosine(encoder('a dog'), encoder('the dog')), 3);

-- A trigger keeps vectors up to date while the connection has the weights.
CREATE TEMP TRIGGER notes_vector AFTER UPDATE OF body ON notes
BEGIN
  UPDATE notes SET vector = encoder(new.body) WHERE id = new.id;
END;
UPDATE notes SET body = 'a mat' WHERE id = 2;
SELECT vector = encoder('a mat') FROM notes WHERE id = 2;
