import { parseExactJson } from '@homeward/kit'
import { replaceFile } from '@homeward/kit/node'
import { readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What config.json, or another file of settings, holds before it is checked. */
export type ConfigContent = Readonly<Record<string, unknown>>

/** A file of settings in the data home, or its stand-in in memory. */
export interface ConfigFile {
  /** The content; the same object for as long as the file is not changed. */
  read(): ConfigContent
  /** The content as somebody read it last, without another look at the file. */
  lastRead(): ConfigContent
  /** Replaces the content. Changes are made one after the other: each gets the content that the last one wrote. */
  change(toNext: (content: ConfigContent) => ConfigContent): Promise<void>
}

const nothing: ConfigContent = {}

/** Keeps the config in memory: for a runtime without a data home. */
export function createConfigInMemory(): ConfigFile {
  let content = nothing
  return {
    read: () => content,
    lastRead: () => content,
    async change(toNext) {
      content = toNext(content)
    },
  }
}

/**
 * Opens `{data_home}/config.json` (A13), or another file of settings. A change by hand is seen at the next look: looking is one `stat`, so there is
 * no watcher to end. Written with mode 0600, whole or not at all.
 */
export function createConfigFile(path: string): ConfigFile {
  let known: { readonly stamp: string; readonly content: ConfigContent } | undefined
  let seen: ConfigContent | undefined
  let changing: Promise<unknown> = Promise.resolve()

  function read(): ConfigContent {
    const stamp = stampOf(path)
    if (stamp === undefined) return (seen = nothing)
    if (known?.stamp !== stamp) known = { stamp, content: load(path) }
    return (seen = known.content)
  }

  async function write(content: ConfigContent): Promise<void> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    } catch (cause) {
      throw new RuntimeError(
        'storage_error',
        `Saving the settings failed: ${basename(path)} cannot be written. Check its permissions and the free disk space.`,
        {
          cause,
        },
      )
    }
    known = undefined
    seen = undefined
  }

  return {
    read,
    lastRead: () => seen ?? read(),
    async change(toNext) {
      const turn = changing.then(() => write(toNext(read())))
      changing = turn.catch(() => {})
      await turn
    },
  }
}

function stampOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.mtimeNs} ${found.size} ${found.ino}`
}

/** A file that cannot be read must not count as empty: an `api_token` in it would be gone. */
function load(path: string): ConfigContent {
  let content: unknown
  try {
    content = parseExactJson(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (cause) {
    // the parser's message quotes the file
    const reason = cause instanceof SyntaxError ? 'it is not valid JSON' : 'it cannot be read'
    const options = cause instanceof SyntaxError ? {} : { cause }
    throw new RuntimeError(
      'storage_error',
      `Reading ${basename(path)} failed: ${reason}. Correct or remove the file.`,
      options,
    )
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new RuntimeError(
      'storage_error',
      `Reading ${basename(path)} failed: the file must contain one JSON object. Correct or remove the file.`,
    )
  }
  return content as ConfigContent // JSON, and neither an array nor null
}
