-- The provider of sign-ins whose groups made a person a member of a workspace, and keep deciding the role; null: an invitation did.
alter table member add column groups_of text check (groups_of <> '');
