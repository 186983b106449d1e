"""`argosy verify`: checks an exported match with nothing but the file and the rules installed here."""
