const text = `nines: service level objectives and error budgets from any Prometheus-compatible source

usage: nines [command]

  serve     start the server (the default); --new: in a data folder that has lost its database, begin again
  demo      start it with a demo: SLOs over a sample service with 35 days of past, and over nines itself
  import    bring samples of the past into the embedded source, while the server is stopped:
            nines import FILE.om [--organization ID_OR_NAME]
            FILE: OpenMetrics text with timestamps, what promtool tsdb create-blocks-from openmetrics
            reads; gzipped where it ends in .gz; - for stdin
  backup    write databases and secrets into one file, also while the server runs: nines backup FILE
  restore   the same back into a data folder that is empty or does not exist: nines restore FILE
  rotate-secret
            replace a secret of the data folder, while the server is stopped: nines rotate-secret jwt|seal
            jwt: access tokens become invalid, and sessions go on; seal: stored credentials are sealed again
  admin     look after accounts from the shell, also while the server runs: nines admin list [--json]
            nines admin reset-password EMAIL: prints a link that sets a new password, good once, for an hour;
            with --password-stdin it reads the new password, one line, and sets it at once
  config    print the effective settings, secrets masked
  licenses  print the licences of the software of others in the executable
  version   print the version
  help      print this

Settings are environment variables. The ones to begin with:

  SOURCE_URL   source of each new organization: embedded (the default), which is inside of nines, or
               the base URL of a Prometheus-compatible one, such as http://localhost:9090
  DATA_DIR     folder of the database and the generated secrets (./data)
  HOST, PORT   where to listen (127.0.0.1, 8080)
`

export function help(out: { write(text: string): unknown } = process.stdout): number {
  out.write(text)
  return 0
}
