package binary

const piece = 8 << 10
