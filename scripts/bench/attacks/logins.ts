import { clientsOf, median, percentile, type Target } from '../support/load.ts'
import { account, signUp, startNines } from '../support/processes.ts'

const rounds = 5
const secondsEach = 8
const connections = 4
const pauseMs = 4
const loginsPerSecond = 8
const maxTimesIdle = 3

/**
 * Measures the p99 of `GET /slos/:id` at about 700 requests a second, idle and while users sign in: argon2id takes whole cores.
 */
export async function benchLogins(): Promise<void> {
  const nines = await startNines({ REGISTRATION: 'open' })
  try {
    const { token, send } = await signUp(nines)
    const slo = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
    const { id } = await send('POST', '/api/v1/slos', slo)
    const headers = { authorization: `Bearer ${token}` }
    const target = { ...nines, url: `${nines.url}/api/v1/slos/${id}`, headers }
    const another = { ...account, email: 'another@example.com' } // a user has 100 sessions at most
    await signUp(nines, another)
    const login = () => send('POST', '/api/v1/auth/login', { email: another.email, password: another.password })
    const idle: number[] = []
    const busy: number[] = []
    const logins: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const alone = percentile(await latencies(target), 99)
      const signingIn = keepSigningIn(login)
      const beside = percentile(await latencies(target), 99)
      const took = await signingIn.stop()
      if (round === 0) continue // warms up
      idle.push(alone)
      busy.push(beside)
      logins.push(...took)
    }
    const ratios = busy.map((beside, round) => beside / (idle[round] ?? Number.NaN)) // both halves of a round ran in succession
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    const ms = (value: number) => `${value.toFixed(2)} ms`
    process.stdout.write(
      `\nGET /slos/:id while ${loginsPerSecond} people a second sign in, median of ${rounds} rounds of ${secondsEach} s\n` +
        `  p99 idle ${ms(median(idle))}   p99 with logins ${ms(median(busy))}   ` +
        `ratio ${median(ratios).toFixed(2)} (${range}; goal: at most ${maxTimesIdle})\n` +
        `  ${logins.length} logins: median ${ms(median(logins))}, p99 ${ms(percentile(logins, 99))}\n`,
    )
  } finally {
    await nines.stop()
  }
}

/** Starts logins at a fixed rate, even if the previous one has not been answered; `stop` returns their durations in ms. */
function keepSigningIn(login: () => Promise<unknown>) {
  const running: Promise<number>[] = []
  const one = async () => {
    const began = performance.now()
    await login()
    return performance.now() - began
  }
  const timer = setInterval(() => running.push(one()), 1000 / loginsPerSecond)
  return {
    stop() {
      clearInterval(timer)
      return Promise.all(running)
    },
  }
}

/** Milliseconds from each request to the end of its response, on a few connections that pause in between. */
async function latencies(target: Target): Promise<number[]> {
  const times: number[] = []
  const open = await clientsOf(target)
  const end = await open(connections, () => {
    let began = performance.now()
    return (sendNext) => {
      times.push(performance.now() - began)
      setTimeout(() => {
        began = performance.now()
        sendNext()
      }, pauseMs)
    }
  })
  await Bun.sleep(secondsEach * 1000)
  end()
  return times
}
