const open: (() => unknown)[] = []

/** Ends something after the test that is running, in a file that says `afterEach(closeAll)`. */
export function closeLater(close: () => unknown) {
  open.push(close)
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()))
}
