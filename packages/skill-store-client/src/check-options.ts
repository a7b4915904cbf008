import { createOptionCheck } from '@homeward/kit'
import { SkillStoreError } from './skill-store-error.ts'

/** @throws {SkillStoreError} `INVALID_OPTION` that names the option and what it must be. */
export const checkOptions = createOptionCheck(
  (attempt, fault) => new SkillStoreError('INVALID_OPTION', `${attempt} failed: ${fault}.`),
)
