"""Links and anchors of a site's pages that lead nowhere: site_links.py FOLDER."""
import os
import re
import sys
from html.parser import HTMLParser


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.update(found[k] for k in ("id", "name") if found.get(k))
        self.links += [found[k] for k in ("href", "src") if found.get(k)]


root, pages, count, wrong = sys.argv[1], {}, 0, 0
for folder, _, names in os.walk(root):
    for name in names:
        if name.endswith(".html"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                pages[os.path.join(folder, name)] = page = Page()
                page.feed(f.read())
for name, page in pages.items():
    for link in page.links:
        if re.match(r"[a-z]+:|/", link):
            continue
        path, _, anchor = link.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        to = os.path.join(to, "index.html") if os.path.isdir(to) else to
        count += 1
        if not os.path.exists(to) or (anchor and to in pages and anchor not in pages[to].ids):
            print(f"{os.path.relpath(name, root)}: {link} leads nowhere")
            wrong += 1
print(count, "links,", wrong, "wrong")
sys.exit(count < 1000 or wrong > 0)
