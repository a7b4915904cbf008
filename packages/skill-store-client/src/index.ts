export { isZip, toSkillFiles } from './archive/to-skill-files.ts'
export { type ArchiveLimits, type SkillFile, unpackZip } from './archive/unpack-zip.ts'
export { diffSkills, type SkillDiff } from './format/diff-skills.ts'
export { parseSkillYaml } from './format/parse-skill-yaml.ts'
export { type SkillCapabilities, skillCapabilities } from './format/skill-capabilities.ts'
export { skillWarnings, type SkillNames, type SkillWarning } from './format/skill-warnings.ts'
export { frontmatterLine, type SkillMarkdown, splitSkillMarkdown } from './format/split-skill-markdown.ts'
export {
  createSkillInstaller,
  type SkillInstallation,
  type SkillInstaller,
  type SkillInstallerOptions,
} from './install/create-skill-installer.ts'
export { hashSkill } from './install/hash-files.ts'
export type { LockedSkill, LockedSkills } from './install/lockfile.ts'
export { validateSkillName } from './install/skill-name.ts'
export { repairSkillsFolder } from './install/swap-folder.ts'
export { SkillStoreError, type SkillStoreErrorCode } from './skill-store-error.ts'
export {
  createSkillStore,
  type FetchedSkill,
  type SkillStore,
  type SkillStoreOptions,
  type SkillUpdate,
} from './store/create-skill-store.ts'
export type { InvalidEntry, RegistryListing } from './store/read-registry.ts'
