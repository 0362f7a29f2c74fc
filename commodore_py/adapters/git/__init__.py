"""Git behind one door: the only place that starts `git`.

`safe`       environment and settings of every git process
`program`    runs git; requests to remotes are retried
`refs`       branches, tags and commits of a repository, or of a remote
`repository` HEAD of a checkout, and the settings of its repository
`status`     which files of a checkout differ from its commit
`worktrees`  worktrees of a bare repository
`staging`    the catalog's commits
`copies`     copies of directories with repositories in them

Git's files are neither read nor written: repositories may be of any format that Git supports.
"""
