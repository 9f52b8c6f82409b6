"""For mkdocs: pages link to files of the repository that are no pages. They are put beside the pages as text, links to
folders become words."""
import os
import re
import shutil

wanted = set()


def on_pre_build(config):
    wanted.clear()


def on_page_markdown(markdown, page, config, files):
    root = os.path.dirname(config["docs_dir"])
    here = os.path.dirname(os.path.join(config["docs_dir"], page.file.src_path))

    def link(found):
        text, target = found.groups()
        path = os.path.normpath(os.path.join(here, target.partition("#")[0]))
        inside = os.path.relpath(path, root)
        if re.match(r"[a-z]+:|#", target) or inside.startswith(("docs" + os.sep, "..")):
            return found.group()
        if not os.path.isfile(path):
            return text
        wanted.add(inside)
        return f'<a href="{"../" * page.url.count("/")}source/{inside}.txt">{text}</a>'

    # code, in blocks and in lines, stays as it is
    parts = re.split(r"(^```.*?^```|`[^`\n]+`(?!\]))", markdown, flags=re.M | re.S)
    return "".join(p if k % 2 else re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)", link, p) for k, p in enumerate(parts))


def on_post_build(config):
    root = os.path.dirname(config["docs_dir"])
    for path in wanted:
        to = os.path.join(config["site_dir"], "source", path + ".txt")
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(os.path.join(root, path), to)
