type Options = { most: number; maxOfGroup: number }
type Task = () => Promise<void>

/**
 * Lets `most` tasks run at once, `maxOfGroup` of them of one group. A place that becomes free goes to the group with the
 * fewest, and inside of it to the task that waits longest: a group whose tasks all hang keeps another waiting for one of
 * them at most, and only where several groups hang. Tasks never throw.
 */
export function createFairQueue<Group>({ most, maxOfGroup }: Options): { add(group: Group, task: Task): void } {
  const running = new Map<Group, number>()
  const waiting = new Map<Group, Task[]>()
  let total = 0

  function next(): Group | undefined {
    const able = [...waiting.keys()].filter((group) => countOf(group) < maxOfGroup)
    return total < most ? able.toSorted((a, b) => countOf(a) - countOf(b))[0] : undefined
  }

  function fill(): void {
    for (let group = next(); group !== undefined; group = next()) {
      const [task, ...others] = waiting.get(group) ?? []
      waiting.delete(group)
      if (others.length > 0) waiting.set(group, others) // behind the groups that wait with as many
      if (task) void run(group, task)
    }
  }

  async function run(group: Group, task: Task): Promise<void> {
    total += 1
    running.set(group, countOf(group) + 1)
    try {
      await task()
    } finally {
      total -= 1
      running.set(group, countOf(group) - 1)
      if (countOf(group) === 0) running.delete(group)
      fill()
    }
  }

  const countOf = (group: Group) => running.get(group) ?? 0

  return {
    add(group, task) {
      const tasks = waiting.get(group)
      if (tasks) tasks.push(task)
      else waiting.set(group, [task])
      fill()
    },
  }
}
