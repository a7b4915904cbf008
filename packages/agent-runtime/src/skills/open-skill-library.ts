import { lazyService } from '../runtime/lazy-service.ts'
import { once } from '../concurrency/once.ts'
import type { SkillLibraryOptions } from './create-skill-library.ts'
import type { SkillLibrary } from './skill-library.ts'
import { skillMethods } from './skill-methods.ts'

/** The skills of a data home. What reads them is loaded by the first call: an agent without skills needs no YAML and no zip. */
export function openSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const load = once(async () => {
    const { createSkillLibrary } = await import('./create-skill-library.ts')
    return createSkillLibrary(options)
  })
  return lazyService<SkillLibrary>('skills', load, skillMethods)
}
