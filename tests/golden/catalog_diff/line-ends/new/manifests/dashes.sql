select 1;
@@ at
