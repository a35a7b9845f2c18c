const open: (() => void)[] = []

/** Ends something after the test that is running, in a file that says `afterEach(closeAll)`. */
export function closeLater(close: () => void) {
  open.push(close)
}

export function closeAll() {
  for (const close of open.splice(0)) close()
}
