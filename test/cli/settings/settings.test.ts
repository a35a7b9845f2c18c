import { afterEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeConfigFile } from '../../../src/cli/settings/config-argument.ts'
import { loadSettings } from '../../../src/cli/settings/settings.ts'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

function fileOf(text: string): string {
  const file = join(newFolder(), 'nines.env')
  writeFileSync(file, text)
  return file
}

describe('settings', () => {
  test('of the environment win over the file, and the file over defaults', () => {
    const settings = loadSettings({ PORT: '81' }, fileOf('PORT=82\nHOST="::1"\n'))
    expect(readConfig(settings.env)).toMatchObject({ port: 81, host: '::1', dataDir: './data' })
    expect(['PORT', 'HOST', 'DATA_DIR'].map(settings.originOf)).toEqual(['environment', 'file', 'default'])
  })

  test('that are empty in the environment have their default, whatever the file says', () => {
    const settings = loadSettings({ PORT: '', SOURCE_URL: '' }, fileOf('PORT=82\nSOURCE_URL=http://x\n'))
    expect(readConfig(settings.env)).toMatchObject({ port: 8080, sourceUrl: null })
  })

  test('that hold a secret win with either of their variables', () => {
    const token = fileOf('from a file of its own')
    const settings = loadSettings({ METRICS_TOKEN_FILE: token }, fileOf('METRICS_TOKEN=written\n'))
    expect(readConfig(settings.env).metricsToken).toBe('from a file of its own')
    expect(settings.originOf('METRICS_TOKEN')).toBe('environment')
    const inFile = loadSettings({}, fileOf(`METRICS_TOKEN_FILE=${token}\n`))
    expect([readConfig(inFile.env).metricsToken, inFile.originOf('METRICS_TOKEN')]).toEqual([
      'from a file of its own',
      'file',
    ])
  })

  test('are read again from the file', () => {
    const file = fileOf('PORT=81\n')
    const settings = loadSettings({}, file)
    writeFileSync(file, 'PORT=82\n')
    expect([settings.env['PORT'], settings.reload().env['PORT']]).toEqual(['81', '82'])
  })
})

describe('a variable that is no setting', () => {
  test('stops the reading of a file: all of them, by line, with the nearest setting', () => {
    const file = fileOf('REGISTRATON=closed\nPORT=81\n\nNINES_PORT=82\nTZ=UTC\n')
    expect(() => loadSettings({}, file)).toThrow(
      new ConfigError(`${file}, line 1: REGISTRATON is no setting of nines; did you mean REGISTRATION?
${file}, line 4: NINES_PORT is no setting of nines; did you mean PORT?
${file}, line 5: TZ is no setting of nines`),
    )
  })

  test('is named where it begins with NINES_, but for those that Kubernetes makes of a service', () => {
    const { unknown } = loadSettings(
      {
        COLOUR: 'green',
        NINES_DATADIR: '/x',
        NINES_PORT: 'tcp://10.0.0.1:8080',
        NINES_PORT_8080_TCP_ADDR: '10.0.0.1',
        NINES_SERVICE_HOST: '10.0.0.1',
        NINES_SERVICE_PORT_HTTP: '8080',
      },
      undefined,
    )
    expect(unknown).toEqual(['NINES_DATADIR is no setting of nines; did you mean DATA_DIR?'])
    expect(loadSettings({ NINES_PORT: '8080' }, undefined).unknown).toHaveLength(1)
  })
})

test.each([
  ['a line is wrong', 'PORT=81\nhunter2', /, line 2: must be NAME=value/],
  ['there is no file', null, /the file of --config, .*none, cannot be read \(ENOENT\)/],
])('settings are refused where %s, by the name of the file', (_, text, message) => {
  const file = text === null ? join(newFolder(), 'none') : fileOf(text)
  expect(() => loadSettings({}, file)).toThrow(message)
})

test.each([
  [['serve', '--config', 'f', '--new'], 'f', ['serve', '--new']],
  [['--config=f', 'backup', 'x'], 'f', ['backup', 'x']],
  [['config', '--config'], '', ['config']],
  [['config'], undefined, ['config']],
])('%j has its file taken out', (argv, file, args) => {
  expect(takeConfigFile(argv)).toEqual({ file, args })
})
