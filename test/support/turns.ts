/** Counts the turns of the event loop from the call on, until it is disposed of. */
export function countTurns(): { count(): number } & Disposable {
  let turns = 0
  let isOver = false
  const tick = () => {
    turns += 1
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  return { count: () => turns, [Symbol.dispose]: () => void (isOver = true) }
}
