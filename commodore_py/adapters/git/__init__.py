"""Git behind one door: the only place that starts `git`, or reads and writes its files.

`program`    runs git, always with safe settings; fetches with retries
`repository` where a checkout keeps its Git folder, what HEAD names, the settings of `origin`
`refs`       branches and tags, of clones and of remotes on this machine
`status`     which files of a checkout differ from its commit
`objects`    trees of commits, objects copied from a remote on this machine
`worktrees`  the worktrees of a bare clone: which there are, new ones, incomplete ones
`blueprint`  new bare repositories
`layout`     which repositories are read by hand, and which by the git program alone
`index`      Git's index
`local_remote` remotes on this machine
`contents`   contents of objects
`locked_files` files that are replaced as Git does it
`first_checkout` checkouts to empty places
`user_settings` what the user's settings change
`abbreviations` abbreviated commits

Every question has two ways. The fast one reads what gitrepository-layout(5), gitformat-index(5)
and gitformat-pack(5) document. It is used for repositories of the plain format only (`layout`), and
gives no answer where a file holds anything that it does not know. Then, and always with
`COMMODORE_GIT=program`, the git program answers. `tests/contract/test_git_door.py` holds both ways
against each other.
"""
