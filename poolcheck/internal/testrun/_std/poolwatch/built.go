package poolwatch

// built says that poolcheck build has made this program, which changes it.
const built = false
