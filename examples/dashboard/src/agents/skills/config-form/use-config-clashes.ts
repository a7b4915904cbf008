import { type ErrorSchema, ErrorSchemaBuilder } from '@rjsf/utils'
import { useState } from 'react'
import { changedElsewhere } from '../../../components/fields/changed-elsewhere.ts'
import { clashingPaths } from './config-value.ts'
import type { ConfigValue } from './schema-validator.ts'

/** What a form of a config and somebody else have both changed: whoever saves last wins, and is told before. */
export interface ConfigClashes {
  /** What to say at the fields of which people were told; undefined where there are none. */
  readonly notes: ErrorSchema<ConfigValue> | undefined
  /**
   * Asks before a form is saved over the config as it is now.
   *
   * @param shown what the form began with.
   * @returns whether there is nothing that people were not told of; the next time there is not.
   */
  readonly mayReplace: (value: ConfigValue, shown: ConfigValue, now: ConfigValue) => boolean
  /** Forgets them: saved. */
  readonly settle: (saved: ConfigValue) => void
}

/** Keeps them for a form. @param first what the server had when it was begun. */
export function useConfigClashes(first: ConfigValue): ConfigClashes {
  const [known, setKnown] = useState(first)
  const [notes, setNotes] = useState<ErrorSchema<ConfigValue>>()
  return {
    notes,
    mayReplace(value, shown, now) {
      const paths = clashingPaths(value, shown, known, now)
      setKnown(now)
      if (paths.length > 0) setNotes(toNotes(paths))
      return paths.length === 0
    },
    settle(saved) {
      setKnown(saved)
      setNotes(undefined)
    },
  }
}

function toNotes(paths: readonly (readonly string[])[]): ErrorSchema<ConfigValue> {
  const builder = new ErrorSchemaBuilder<ConfigValue>()
  for (const path of paths) builder.addErrors(changedElsewhere, [...path])
  return builder.ErrorSchema
}
