import type * as z from 'zod/mini'
import { boundedString } from './text.ts'

/**
 * Scope of a search: `files` (by name), `content` (text inside files), `apps`, `system`, or a scope of your own
 * provider.
 */
export type SearchScope = 'files' | 'content' | 'apps' | 'system' | (string & {})

/** A scope: text of 1 to 64 characters. */
export const searchScope: z.ZodMiniType<SearchScope, SearchScope> = boundedString(64)
