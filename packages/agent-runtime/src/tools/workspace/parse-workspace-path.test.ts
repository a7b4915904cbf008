import { expect, it } from 'vitest'
import { parseWorkspacePath } from './parse-workspace-path.ts'

it.each([
  ['plan.md\0.txt', 'the path must not contain control characters'],
  ['a\u007f', 'the path must not contain control characters'],
  ['..\\config.json', 'the path must not contain "\\"'],
  ['/etc/passwd', 'the path must be relative'],
  ['~', 'the path must be relative'],
  ['~/config.json', 'the path must be relative'],
  ['./'.repeat(2048) + 'a', 'the path is too long'],
  ['a/'.repeat(33), 'the path must have at most 32 parts'],
  ['notes/../config.json', 'the path must not contain ".."'],
  ['C:/Windows', 'the path must not contain : * ? " < > |'],
  ['what?', 'the path must not contain : * ? " < > |'],
  ['trailing.', 'a name must not end with a dot or a space'],
  ['trailing /a', 'a name must not end with a dot or a space'],
  ['NUL', '"NUL" is the name of a device on some systems'],
  ['notes/com1.txt', '"com1.txt" is the name of a device on some systems'],
  ['aux  .md', '"aux  .md" is the name of a device on some systems'],
  ['LPT¹', '"LPT¹" is the name of a device on some systems'],
  ['é'.repeat(128), 'a name is too long'],
  ['\ud800', 'a name is not valid Unicode'],
])('A18: refuses the path %j: %s', (path, reason) => {
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path)
  const message = `Reading ${shown} failed: ${reason}. Use a relative path inside the workspace, such as "notes/plan.md".`
  expect(() => parseWorkspacePath(path, 'Reading')).toThrow(
    expect.objectContaining({ code: 'validation_error', message }),
  )
})

it.each([
  ['', []],
  ['./notes//plan.md', ['notes', 'plan.md']],
  ['a/'.repeat(32), Array<string>(32).fill('a')],
  ['./'.repeat(2047) + 'aa', ['aa']],
  ['x'.repeat(255), ['x'.repeat(255)]],
  ['falcon', ['falcon']],
  ['aux a.md', ['aux a.md']],
  ['~a/a~', ['~a', 'a~']],
  ['.hidden/..a', ['.hidden', '..a']],
])('takes the path %j', (path, names) => {
  expect(parseWorkspacePath(path, 'Reading')).toEqual(names)
})

it('shows a path whole as long as it has no more than 200 characters', () => {
  expect(() => parseWorkspacePath(`${'x'.repeat(199)}?`, 'Reading')).toThrow(`"${'x'.repeat(199)}?"`)
})
