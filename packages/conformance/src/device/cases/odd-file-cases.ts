import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CaseSkip, check } from '../../conformance-case.ts'
import { decisions, operations, rules } from '../../references.ts'
import { jsonOf } from '../cloud/seen-request.ts'
import { type DeviceCase, rowsOf } from '../device-trial.ts'
import { type PreparedFiles, secretText } from '../prepared-files.ts'
import { needsPosix } from './heartbeat-cases.ts'
import { refusesUpload } from './upload-cases.ts'

const sibling = ({ root }: PreparedFiles) => `${root}-other`

const hostile = (id: string, what: string, path: (files: PreparedFiles) => string): DeviceCase => ({
  id: `hostile-${id}`,
  title: `A request for ${what} is refused in words, and gives nothing away.`,
  holds: rules,
  async prepare(files) {
    await mkdir(sibling(files), { recursive: true })
    await writeFile(join(sibling(files), 'secret.txt'), secretText)
  },
  async run(trial) {
    await refusesUpload(trial, path(trial.files))
    await trial.search('alpha')
  },
})

const largeBytes = 8_000_000

const isUnread = (value: unknown): boolean => {
  const { scope, reason, count } = (value ?? {}) as Readonly<Record<string, unknown>>
  return scope === 'files' && typeof reason === 'string' && reason !== '' && Number(count) >= 1
}

/** Files and paths that a careless agent trips over. */
export const oddFileCases: readonly DeviceCase[] = [
  hostile(
    'dots',
    'a path with ".." that leaves the shared folder',
    ({ root }) => `${root}/sub/../../outside/secret.txt`,
  ),
  hostile('link-to-file', 'a link to a file outside', ({ root }) => join(root, 'link-to-file.txt')),
  hostile('link-to-folder', 'a file behind a link to a folder outside', ({ root }) =>
    join(root, 'link-to-folder/secret.txt'),
  ),
  hostile('relative', 'a relative path that leaves the shared folder', () => '../outside/secret.txt'),
  hostile('sibling', 'a folder whose name only begins like the shared one', (files) =>
    join(sibling(files), 'secret.txt'),
  ),
  hostile(
    'zero-byte',
    'a path with a zero byte',
    ({ root, outside }) => `${root}/alpha-notes.txt\u0000${outside}`,
  ),
  hostile('device-file', 'a file of the system without an end', () => '/dev/zero'),
  {
    id: 'hostile-pipe',
    title: 'A pipe in the shared folder, which nobody writes to, does not stop the agent.',
    holds: decisions.unreadable,
    async prepare({ root }) {
      if (process.platform !== 'win32') await promisify(execFile)('mkfifo', [join(root, 'pipe-without-end')])
    },
    async run(trial) {
      needsPosix()
      await refusesUpload(trial, join(trial.files.root, 'pipe-without-end'))
      await trial.search('alpha')
    },
  },
  {
    id: 'search-stays-inside',
    title: 'A search follows no link out of the shared folder, and ends where links make a circle.',
    holds: rules,
    async run(trial) {
      const rows = rowsOf(await trial.search('secret'))
      check(rows.length === 0, `Nothing outside may be found, got ${JSON.stringify(rows[0]?.['path'])}.`)
    },
  },
  {
    id: 'unread-folder',
    title: 'A folder that cannot be read is counted in results.unread, and what can be read is found.',
    holds: operations.results,
    async prepare({ root }) {
      await mkdir(join(root, 'locked'), { recursive: true, mode: 0 })
    },
    async run(trial) {
      needsPosix()
      const { results } = await trial.search('alpha')
      const { files = [], unread } = results as Partial<Record<'files' | 'unread', readonly unknown[]>>
      check(files.length > 0, 'A folder that cannot be read must not keep others from being searched.')
      const isReadable = await readdir(join(trial.files.root, 'locked')).then(
        () => true,
        () => false,
      )
      if (isReadable && unread === undefined) throw new CaseSkip('This user may read every folder.')
      check(
        unread?.some(isUnread) === true,
        `"results.unread" must hold {scope, reason, count}, got ${JSON.stringify(unread)}.`,
      )
    },
  },
  {
    id: 'missing-root',
    title:
      'A search while the shared folder is not there fails, or says so: it does not report that nothing is there.',
    holds: decisions.savedSearches,
    async run(trial) {
      const { root } = trial.files
      await trial.online()
      await rename(root, `${root}-away`)
      try {
        const { error, results } = await trial.search('alpha')
        const { unread } = (results ?? {}) as { readonly unread?: readonly unknown[] }
        const isTold = (typeof error === 'string' && error !== '') || unread?.some(isUnread) === true
        check(isTold, 'The report must have an "error", or "results.unread" with the reason "missing_root".')
      } finally {
        await rename(`${root}-away`, root)
      }
      const [row] = rowsOf(await trial.search('alpha'))
      check(row !== undefined, 'A folder that is back must be searched again.')
    },
  },
  {
    id: 'many-rows',
    title: 'A search that finds more than 1,000 files reports at most 1,000, and says so in truncated.',
    holds: decisions.sizes,
    async prepare({ root }) {
      await mkdir(join(root, 'many'), { recursive: true })
      for (let at = 0; at < 1050; at += 1) await writeFile(join(root, `many/row-number-${at}.dat`), '')
    },
    async run(trial) {
      const report = await trial.search('row-number')
      const { length } = rowsOf(report)
      check(length <= 1000 && length > 0, `"results.files" may have 1,000 rows, got ${length}.`)
      const { truncated } = report['results'] as { readonly truncated?: { readonly files?: unknown } }
      check(
        truncated?.files === true,
        `"results.truncated.files" must be true, got ${JSON.stringify(truncated?.files)}.`,
      )
    },
  },
  {
    id: 'name-not-utf8',
    title: 'A name with bytes that are not UTF-8 is found, and the report is valid JSON in UTF-8.',
    holds: operations.foundFile,
    async prepare({ root }) {
      if (process.platform === 'linux')
        await writeFile(
          Buffer.concat([Buffer.from(`${root}/latin-`), Buffer.from([0xe9]), Buffer.from('.txt')]),
          'x',
        )
    },
    async run(trial) {
      needsPosix()
      const report = await trial.search('latin')
      const [seen] = trial.of('report')
      check(seen !== undefined && jsonOf(seen) !== undefined, 'The report must be JSON in valid UTF-8.')
      check(process.platform !== 'linux' || rowsOf(report).length === 1, 'The file must be found.')
      const isClean = rowsOf(report).every(
        ({ path, name }) => String(path).isWellFormed() && String(name).isWellFormed(),
      )
      check(isClean, '"path" and "name" must not hold halves of surrogate pairs: replace what is not UTF-8.')
    },
  },
  {
    id: 'odd-name',
    title: 'A file whose name has quotes, a line break and letters beyond ASCII is found and uploaded.',
    holds: operations.upload,
    async prepare({ root }) {
      if (process.platform !== 'win32') await writeFile(join(root, 'odd "name"\r\nX: é😀.txt'), 'odd content')
    },
    async run(trial) {
      needsPosix()
      const [row] = rowsOf(await trial.search('odd "name"'))
      check(
        row?.['name'] === 'odd "name"\r\nX: é😀.txt',
        `"name" must be the whole name, got ${JSON.stringify(row?.['name'])}.`,
      )
      const { content, error } = await trial.upload(String(row['path']))
      check(content?.toString() === 'odd content', `The file must arrive, got ${JSON.stringify(error)}.`)
    },
  },
  {
    id: 'growing-file',
    title: 'A file that something writes to is sent as a well-formed form, or refused in words.',
    holds: decisions.unreadable,
    async run(trial) {
      const path = join(trial.files.root, 'growing.log')
      await writeFile(path, 'line\n'.repeat(100_000))
      const writing = setInterval(
        () => void appendFile(path, 'another line\n'.repeat(100)).catch(() => {}),
        2,
      )
      try {
        const { content, error } = await trial.upload(path)
        check(
          content?.subarray(0, 5).toString() === 'line\n' || (error ?? '') !== '',
          'The file or the reason must arrive.',
        )
      } finally {
        clearInterval(writing)
      }
    },
  },
  {
    id: 'shrinking-file',
    title:
      'A file that is cut while it is sent ends as a well-formed form or in words, and the agent goes on.',
    holds: decisions.unreadable,
    async run(trial) {
      const { cloud, files } = trial
      const path = join(files.root, 'shrinking.bin')
      await writeFile(path, Buffer.alloc(largeBytes, 'a'))
      cloud.readDelayMs = 400
      const upload = cloud.work.addUpload(path)
      await trial.until('the begin of the upload', () => cloud.begun.includes('upload'))
      await truncate(path, 1000)
      await trial.until('the outcome of the upload', () => upload.settled)
      await trial.search('alpha')
    },
  },
  {
    id: 'large-file',
    title: 'A file of 20 MB arrives byte by byte.',
    holds: decisions.sizes,
    async run(trial) {
      const path = join(trial.files.root, 'large.bin')
      const content = Buffer.alloc(20_000_000, 'a large file with text in it\n')
      await writeFile(path, content)
      const upload = await trial.upload(path)
      check(
        upload.content?.equals(content) === true,
        `The file must arrive whole, got ${upload.content?.length ?? upload.error}.`,
      )
    },
  },
]
