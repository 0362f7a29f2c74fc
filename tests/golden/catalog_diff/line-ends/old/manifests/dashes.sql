-- a comment
select 1;
++ plus
