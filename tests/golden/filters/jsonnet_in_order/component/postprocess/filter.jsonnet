{ made: { kind: 'Made' } }
