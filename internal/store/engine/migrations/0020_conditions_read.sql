-- From here on, the condition of a page is stored also if the front matter cannot
-- be read; see Reader.ConditionsRead. Nothing changes in the schema: the moment of
-- this step is what counts.

UPDATE instance SET auth_version = auth_version;
