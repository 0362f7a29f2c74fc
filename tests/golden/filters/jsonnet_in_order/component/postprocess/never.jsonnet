error 'a disabled filter ran'
