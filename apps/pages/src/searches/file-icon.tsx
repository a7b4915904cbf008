import { fileKindOf } from '@homeward/contract/device-cloud'
import {
  File,
  FileArchive,
  FileCode,
  FileImage,
  FileMusic,
  FileText,
  FileVideoCamera,
  Folder,
  type LucideIcon,
} from 'lucide-react'
import { MiddleCut } from '../components/text/middle-cut.tsx'

const icons: Readonly<Record<string, readonly [icon: LucideIcon, label: string]>> = {
  document: [FileText, 'Document'],
  image: [FileImage, 'Image'],
  audio: [FileMusic, 'Audio'],
  video: [FileVideoCamera, 'Video'],
  archive: [FileArchive, 'Archive'],
  code: [FileCode, 'Code'],
  folder: [Folder, 'Folder'],
}

interface FileNameProps {
  readonly name: string
  readonly kind?: string | undefined
}

/** Name of a file or folder, with what it is as a picture in front. */
export function FileName({ name, kind }: FileNameProps) {
  const [Icon, label] = icons[kind ?? fileKindOf(name)] ?? [File, 'File']
  return (
    <span title={name}>
      <Icon className="muted file-kind" width={16} height={16} role="img" aria-label={label} />
      <MiddleCut text={name} />
    </span>
  )
}
