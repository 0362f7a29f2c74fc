{ metadata+: { labels+: { team: 'blue' } } }
