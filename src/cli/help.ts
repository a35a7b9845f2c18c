const text = `nines: service level objectives and error budgets from any Prometheus-compatible source

usage: nines [command]

  serve     start the server (the default)
  config    print the effective settings, secrets masked
  version   print the version
  help      print this

Settings are environment variables. The ones to begin with:

  SOURCE_URL   base URL of a Prometheus-compatible source, such as http://localhost:9090
  DATA_DIR     folder of the database and the generated secrets (./data)
  HOST, PORT   where to listen (127.0.0.1, 8080)
`

export function help(out: { write(text: string): unknown } = process.stdout): number {
  out.write(text)
  return 0
}
