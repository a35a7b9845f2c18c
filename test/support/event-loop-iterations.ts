/** Counts iterations of the event loop from the call until it is disposed. */
export function countEventLoopIterations(): { count(): number } & Disposable {
  let turns = 0
  let isOver = false
  const tick = () => {
    turns += 1
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  return { count: () => turns, [Symbol.dispose]: () => void (isOver = true) }
}
