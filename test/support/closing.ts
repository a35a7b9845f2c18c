const open: (() => unknown)[] = []

/** Calls `close` after the running test, in a file that has `afterEach(closeAll)`. */
export function closeLater(close: () => unknown) {
  open.push(close)
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()))
}
