/** Parts of a listener that the gate needs: a switch for accepting, and whether file descriptors are scarce. */
type GatedListener = { setAccepting(isAccepting: boolean): void; isScarce(): boolean }

/** Controls when a listener accepts connections. Does nothing until a listener is attached. */
export type AcceptGate = {
  /** Attaches a listener, in place of the previous one; undefined: none. */
  attach(listener: GatedListener | undefined): void
  /** Lets the listener accept connections, or leaves them in its queue. During a hold it takes effect when the hold ends. */
  setOpen(isOpen: boolean): void
  /**
   * Leaves connections in the queue until the returned function is called. Does nothing if descriptors are not scarce. For
   * operations during which a missing descriptor makes Bun end the process.
   */
  hold(): () => void
}

export function createAcceptGate(): AcceptGate {
  let listener: GatedListener | undefined
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
