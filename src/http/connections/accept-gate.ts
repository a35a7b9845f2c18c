/** Parts of a listener that the gate needs: its switch, and whether few file descriptors are left. */
type Gated = { setAccepting(isAccepting: boolean): void; isScarce(): boolean }

/** Decides when a listener accepts connections. Without one attached it does nothing. */
export type AcceptGate = {
  /** From now on this one; undefined: none. */
  attach(listener: Gated | undefined): void
  /** Has the listener accept connections or leave them in its queue; while it is held, from the end of that on. */
  setOpen(isOpen: boolean): void
  /**
   * Leaves connections in the queue until what it returns is called. Where descriptors are not scarce nothing is held:
   * for what has to have its descriptors, because Bun ends the process where they are missing.
   */
  hold(): () => void
}

export function createAcceptGate(): AcceptGate {
  let listener: Gated | undefined
  let [isOpen, holds] = [true, 0]

  return {
    attach: (attached) => void (listener = attached),
    setOpen(open) {
      isOpen = open
      listener?.setAccepting(isOpen && holds === 0)
    },
    hold() {
      if (!listener?.isScarce()) return () => {}
      holds += 1
      listener.setAccepting(false)
      return () => {
        holds -= 1
        if (holds === 0) listener?.setAccepting(isOpen)
      }
    },
  }
}
