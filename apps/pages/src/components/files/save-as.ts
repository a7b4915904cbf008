/** Has the browser save bytes as a file. */
export function saveAs(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName
  link.click()
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}
