// Entry points of the package for one platform each; @types/better-sqlite3 declares only the one that chooses at run time.

declare module 'better-sqlite3/linux-x64' {
  import Database = require('better-sqlite3')
  export = Database
}

declare module 'better-sqlite3/linux-arm64' {
  import Database = require('better-sqlite3')
  export = Database
}

declare module 'better-sqlite3/linuxmusl-x64' {
  import Database = require('better-sqlite3')
  export = Database
}

declare module 'better-sqlite3/linuxmusl-arm64' {
  import Database = require('better-sqlite3')
  export = Database
}

declare module 'better-sqlite3/darwin-x64' {
  import Database = require('better-sqlite3')
  export = Database
}

declare module 'better-sqlite3/darwin-arm64' {
  import Database = require('better-sqlite3')
  export = Database
}
