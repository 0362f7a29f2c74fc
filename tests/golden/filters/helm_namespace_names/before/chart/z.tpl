kind: Z
