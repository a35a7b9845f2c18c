import { describe, expect, test } from 'bun:test'
import { visibleLine, withoutLinks } from '../src/mail.ts'

describe('a name in a mail', () => {
  test.each([
    ['Checkout availability', 'Checkout availability'],
    ['p99.9 at 99.95 %, v1.2', 'p99.9 at 99.95 %, v1.2'],
    [
      'Größe 可用性 \u{1f469}\u{1f3fd}\u{200d}\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
      'Größe 可用性 \u{1f469}\u{1f3fd}\u{200d}\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
    ],
    ['win at https://evil.example/x?y=1', 'win at https[:]//evil[.]example/x?y=1'],
    ['HTTP://EVIL.EXAMPLE', 'HTTP[:]//EVIL[.]EXAMPLE'],
    ['go to www.evil.example', 'go to www[.]evil[.]example'],
    ['go to evil.example now', 'go to evil[.]example now'],
    ['evil。example', 'evil[.]example'],
    ['evil\u200b.\u2060example', 'evil[.]example'],
    ['ceo@bank.example', 'ceo[at]bank[.]example'],
    ['http://127.0.0.1/x', 'http[:]//127.0.0.1/x'],
    ['\u202eelpmaxe.live\u202c', 'elpmaxe[.]live'],
    ['a\r\nBcc: b\u0000\u2028c\u0007', 'a Bcc: b c'],
    ['in\u200bvi\u00adsi\u200dble\ufeff', 'invisible'],
  ])('%j is written %j', (name, written) => {
    expect(withoutLinks(name)).toBe(written)
  })

  test('that is very long takes no time', () => {
    expect(withoutLinks('a.1.'.repeat(50_000))).toHaveLength(200_000)
  })

  test('of a trusted team keeps its dots, and nothing that cannot be seen', () => {
    expect(visibleLine(' api.example.com\u202e\r\n ')).toBe('api.example.com')
  })
})
