// Sends one query repeatedly on a few connections until it is terminated; then prints how often each status was answered.
const [url = '', token = '', connections = '4'] = process.argv.slice(2)
const statuses: Record<string, number> = {}
const [path = '', body = ''] = url.split('?')
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' }
const asked: [string, object] = body ? [path, { method: 'POST', headers, body }] : [path, { headers }]
const ask = async () => {
  for (;;) {
    try {
      const response = await fetch(...asked)
      for await (const _ of response.body ?? []);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    } catch {
      statuses['broken'] = (statuses['broken'] ?? 0) + 1
    }
  }
}
process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(statuses))
  process.exit(0)
})
for (let n = 0; n < Number(connections); n += 1) void ask()
