/**
 * A test file that imports this has a process of its own: it changes what belongs to the process,
 * such as a prototype or the list of all tasks.
 */
export {}
