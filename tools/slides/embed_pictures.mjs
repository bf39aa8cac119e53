// node embed_pictures.mjs PAGE DIRECTORY   Puts the pictures of an HTML page into it, so that it is
// one file: those that it names relative to DIRECTORY.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [page, directory] = process.argv.slice(2);
const embedded = readFileSync(page, 'utf8').replace(/(<img[^>]* src=")([^":]+\.svg)(")/g,
  (_, before, name, after) => {
    const picture = readFileSync(join(directory, name)).toString('base64');
    return `${before}data:image/svg+xml;base64,${picture}${after}`;
  });
writeFileSync(page, embedded);
