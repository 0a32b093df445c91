//! Compiled languages, and others that are written to a file and then run.

use super::*;

#[test]
fn go() {
    check(
        Language::Go,
        &[
            (
                "package main\nimport \"os\"\nfunc main() { os.RemoveAll(\"/srv/x\") }",
                "delete remove /srv/x certain -r",
            ),
            (
                "func main() { h, _ := os.UserHomeDir(); os.RemoveAll(h) }",
                "delete remove /home/me certain -r",
            ),
            (
                "func main() {\n\thome := os.Getenv(\"HOME\")\n\tif err := os.RemoveAll(filepath.Join(home, \"Documents\")); err != nil {\n\t\tpanic(err)\n\t}\n}",
                "delete remove /home/me/Documents certain -r",
            ),
            (
                "func main() { wipe(\"/etc\") }\nfunc wipe(dir string) error { return os.RemoveAll(dir) }",
                "delete remove /etc certain -r",
            ),
            (
                "const dir = \"/srv\"\nvar p string = dir + \"/x\"\nfunc main() { _ = os.Remove(p) }",
                "delete remove /srv/x certain",
            ),
            ("func main() { exec.Command(\"rm\", \"-rf\", \"/x\").Run() }", "$ rm -rf /x"),
            (
                "func main() { cmd := exec.Command(\"sh\", \"-c\", `rm -rf /x`)\n\tcmd.Run() }",
                "$ rm -rf /x",
            ),
            (
                "args := []string{\"-rf\", \"/x\"}\nexec.Command(\"rm\", args...).Run()",
                "$ rm -rf /x",
            ),
            (
                "f, err := os.OpenFile(\"/dev/sda\", os.O_WRONLY|os.O_CREATE, 0644)",
                "overwrite write-file /dev/sda certain",
            ),
            (
                "f, err := os.OpenFile(\"app.log\", os.O_APPEND|os.O_WRONLY, 0644)",
                "append append-file /shop/app.log certain",
            ),
            (
                "os.WriteFile(\"a.txt\", []byte(\"x\"), 0644)",
                "overwrite write-file /shop/a.txt certain",
            ),
            ("b, _ := os.ReadFile(\"/etc/shadow\")", "read read-file /etc/shadow certain"),
            ("func clean(dir string) { os.RemoveAll(dir) }", ""),
            ("dir, _ := os.MkdirTemp(\"\", \"x\")\ndefer os.RemoveAll(dir)", ""),
            ("func main() { fmt.Println(\"os.RemoveAll\") } // os.RemoveAll(\"/\")", ""),
        ],
    );
}

#[test]
fn rust() {
    check(
        Language::Rust,
        &[
            (
                "fn main() { std::fs::remove_dir_all(\"/srv/x\").unwrap(); }",
                "delete remove /srv/x certain -r",
            ),
            (
                "use std::fs;\nfn main() { let home = std::env::var(\"HOME\").unwrap(); fs::remove_dir_all(&home).unwrap(); }",
                "delete remove /home/me certain -r",
            ),
            (
                "let p: PathBuf = dirs::home_dir().unwrap().join(\"Documents\"); std::fs::remove_dir_all(p)?;",
                "delete remove /home/me/Documents certain -r",
            ),
            (
                "let h = env::var(\"HOME\").unwrap_or_default(); let p = format!(\"{}/x\", h); fs::remove_file(p);",
                "delete remove /home/me/x certain",
            ),
            (
                "let h = env::var(\"HOME\").unwrap(); fs::remove_file(format!(\"{h}/x\"));",
                "delete remove /home/me/x certain",
            ),
            (
                "let mut p = PathBuf::from(\"/srv\"); p.push(\"x\"); fs::remove_dir_all(&p);",
                "delete remove /srv/x certain -r",
            ),
            ("Command::new(\"rm\").arg(\"-rf\").arg(\"/x\").status().unwrap();", "$ rm -rf /x"),
            (
                "std::process::Command::new(\"sh\").args([\"-c\", \"rm -rf /x\"]).spawn();",
                "$ rm -rf /x",
            ),
            (
                "let mut c = Command::new(\"rm\");\nc.arg(\"-rf\");\nc.arg(\"/x\");\nc.output()?;",
                "$ rm -rf /x",
            ),
            (
                "fn wipe(path: &str) { fs::remove_dir_all(path).ok(); }\nfn main() { wipe(r\"/etc\"); }",
                "delete remove /etc certain -r",
            ),
            (
                "let mut f = OpenOptions::new().write(true).open(\"/dev/sda\")?;",
                "overwrite write-file /dev/sda certain",
            ),
            ("let s = fs::read_to_string(\"/etc/shadow\")?;", "read read-file /etc/shadow certain"),
            (
                "fn f<'a>(x: &'a str) -> &'a str { x }\nfn main() { println!(\"{}\", f(\"a\")); }",
                "",
            ),
            ("fn main() { let v = vec![1, 2]; v.iter().map(|x| x + 1).for_each(drop); }", ""),
        ],
    );
}

#[test]
fn c_and_its_relatives() {
    check(
        Language::C,
        &[
            (
                "#include <stdlib.h>\nint main(void) { return system(\"rm -rf /x\"); }",
                "$ rm -rf /x",
            ),
            (
                "int main(){ execl(\"/bin/rm\", \"rm\", \"-rf\", \"/x\", (char *)NULL); }",
                "$ /bin/rm -rf /x",
            ),
            (
                "int main(){ char *a[] = {\"rm\", \"-rf\", \"/x\", NULL}; execvp(a[0], a); }",
                "$ rm -rf /x",
            ),
            (
                "int main(){ int f = open(\"/dev/sda\", O_WRONLY); write(f, b, 512); }",
                "overwrite write-file /dev/sda certain",
            ),
            (
                "int main(){ int f=open(\"/dev/sda\",1);while(write(f,b,4096)>0); }",
                "overwrite write-file /dev/sda certain",
            ),
            (
                "#define TARGET \"/etc/passwd\"\nint main() { unlink(TARGET); }",
                "delete remove /etc/passwd certain",
            ),
            (
                "int main() { char p[256]; const char *h = getenv(\"HOME\"); snprintf(p, sizeof p, \"%s/x\", h); remove(p); }",
                "delete remove /home/me/x certain",
            ),
            (
                "static void wipe(const char *path) { unlink(path); }\nint main() { wipe(\"/etc/passwd\"); }",
                "delete remove /etc/passwd certain",
            ),
            (
                "int rm(const char *p, const struct stat *s, int t, struct FTW *f) { return remove(p); }\nint main() { nftw(\"/home/me\", rm, 64, FTW_DEPTH); }",
                "delete remove /home/me certain -r",
            ),
            (
                "int main() { std::filesystem::remove_all(\"/srv/x\"); }",
                "delete remove /srv/x certain -r",
            ),
            (
                "namespace fs = std::filesystem;\nint main() { fs::path p = fs::path(getenv(\"HOME\")) / \"x\"; fs::remove_all(p); }",
                "delete remove /home/me/x certain -r",
            ),
            (
                "int main(){ [[NSFileManager defaultManager] removeItemAtPath:[NSHomeDirectory() stringByAppendingString:@\"/x\"] error:nil]; }",
                "delete remove /home/me/x certain -r",
            ),
            ("FILE *f = fopen(\"/etc/shadow\", \"r\");", "read read-file /etc/shadow certain"),
            (
                "FILE *f = fopen(\"out.txt\", \"w\"); fprintf(f, \"x\\n\"); fclose(f);",
                "overwrite write-file /shop/out.txt certain",
            ),
            (
                "void wipe(const char *dir) {\n  DIR *d = opendir(dir);\n  struct dirent *e;\n  while ((e = readdir(d))) {\n    char path[4096];\n    sprintf(path, \"%s/%s\", dir, e->d_name);\n    if (e->d_type == DT_DIR) { wipe(path); rmdir(path); } else unlink(path);\n  }\n}\nint main() { wipe(\"/srv/x\"); return 0; }",
                "delete remove-empty-directory /srv/x/* possible | delete remove /srv/x/* possible",
            ),
            (
                "int main(){ char *args[3]; args[0]=\"rm\"; args[1]=\"-rf\"; args[2]=\"/x\"; execv(\"/bin/rm\", args); }",
                "$ /bin/rm -rf /x",
            ),
            ("int main(void) { for (int i = 0; i < 3; i++) printf(\"%d\\n\", i); return 0; }", ""),
            ("int rmdir_all(const char *p);\nint main() { puts(\"rm -rf /\"); }", ""),
        ],
    );
}

#[test]
fn swift() {
    check(
        Language::Swift,
        &[
            (
                "import Foundation\ntry FileManager.default.removeItem(atPath: NSHomeDirectory())",
                "delete remove /home/me certain -r",
            ),
            (
                "let fm = FileManager.default\ntry! fm.removeItem(atPath: \"\\(NSHomeDirectory())/x\")",
                "delete remove /home/me/x certain -r",
            ),
            (
                "let u = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(\"x\")\ntry? FileManager.default.removeItem(at: u)",
                "delete remove /home/me/x certain -r",
            ),
            (
                "let p = Process()\np.executableURL = URL(fileURLWithPath: \"/bin/rm\")\np.arguments = [\"-rf\", \"/x\"]\ntry p.run()",
                "$ /bin/rm -rf /x",
            ),
            (
                "func wipe(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }\ntry wipe(\"/etc\")",
                "delete remove /etc certain -r",
            ),
            ("try String(contentsOfFile: \"/etc/shadow\")", "read read-file /etc/shadow certain"),
            (
                "try \"x\".write(toFile: \"out.txt\", atomically: true, encoding: .utf8)",
                "overwrite write-file /shop/out.txt certain",
            ),
            ("let x = [1, 2].map { $0 + 1 }\nprint(x)", ""),
        ],
    );
}

#[test]
fn java_and_its_relatives() {
    check(
        Language::Jvm,
        &[
            (
                "Runtime.getRuntime().exec(arrayOf(\"rm\",\"-rf\",System.getProperty(\"user.home\")+\"/x\")).waitFor()",
                "$ rm -rf /home/me/x",
            ),
            (
                "class A { public static void main(String[] args) throws Exception { new ProcessBuilder(\"rm\", \"-rf\", \"/x\").start(); } }",
                "$ rm -rf /x",
            ),
            ("Runtime.getRuntime().exec(new String[]{\"rm\", \"-rf\", \"/x\"});", "$ rm -rf /x"),
            (
                "java.io.File(System.getProperty(\"user.home\"), \"x\").deleteRecursively()",
                "delete remove /home/me/x certain -r",
            ),
            (
                "new File(System.getProperty(\"user.home\"),\"x\").deleteDir()",
                "delete remove /home/me/x certain -r",
            ),
            ("Files.delete(Path.of(\"/etc/passwd\"));", "delete remove /etc/passwd certain"),
            (
                "val home = System.getenv(\"HOME\")\nFile(\"$home/x\").deleteRecursively()",
                "delete remove /home/me/x certain -r",
            ),
            ("\"rm -rf /x\".execute()", "$ rm -rf /x"),
            ("class A { public static void main(String[] a) { System.out.println(\"x\"); } }", ""),
        ],
    );
}

#[test]
fn dotnet() {
    check(
        Language::DotNet,
        &[
            ("System.IO.Directory.Delete(\"/srv/x\", true);", "delete remove /srv/x certain -r"),
            (
                "public class K{public static void R(){System.IO.Directory.Delete(System.Environment.GetEnvironmentVariable(\"USERPROFILE\"),true);}}",
                "delete remove /home/me certain -r",
            ),
            (
                "var d = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), \"x\");\nDirectory.Delete(d, recursive: true);",
                "delete remove /home/me/x certain -r",
            ),
            (
                "using System.IO;\nFile.Delete(@\"/etc/passwd\");",
                "delete remove /etc/passwd certain",
            ),
            (
                "string home = Environment.GetEnvironmentVariable(\"HOME\");\nFile.Delete($\"{home}/x\");",
                "delete remove /home/me/x certain",
            ),
            ("Process.Start(\"rm\", \"-rf /x\");", "$ rm -rf /x"),
            (
                "var i = new ProcessStartInfo { FileName = \"rm\", Arguments = \"-rf /x\" };\nProcess.Start(i);",
                "$ rm -rf /x",
            ),
            ("new DirectoryInfo(\"/srv/x\").Delete(true);", "delete remove /srv/x certain -r"),
            (
                "open System.IO\nlet d = \"/srv/x\"\nDirectory.Delete(d, true)",
                "delete remove /srv/x certain -r",
            ),
            ("Directory.Delete(\"obj\");", "delete remove-empty-directory /shop/obj certain"),
            ("File.ReadAllText(\"/etc/shadow\")", "read read-file /etc/shadow certain"),
            (
                "class P { static void Main(string[] args) { foreach (var a in args) { if (a != null) { Console.WriteLine(a); } } } }",
                "",
            ),
        ],
    );
}

#[test]
fn julia() {
    check(
        Language::Julia,
        &[
            ("rm(\"/srv/x\", recursive=true)", "delete remove /srv/x certain -r"),
            ("rm(homedir(); recursive=true, force=true)", "delete remove /home/me certain -r -f"),
            (
                "rm(joinpath(homedir(), \"x\"), recursive=true)",
                "delete remove /home/me/x certain -r",
            ),
            ("h = ENV[\"HOME\"]; rm(\"$h/x\")", "delete remove /home/me/x certain"),
            ("run(`rm -rf /x`)", "$ rm -rf /x"),
            ("d = \"/x\"; run(`rm -rf $d`)", "$ rm -rf /x"),
            ("read(\"/etc/shadow\", String)", "read read-file /etc/shadow certain"),
            ("write(\"out.txt\", \"x\")", "overwrite write-file /shop/out.txt certain"),
            (
                "function wipe(d)\n  rm(d, recursive=true)\nend\nwipe(\"/etc\")",
                "delete remove /etc certain -r",
            ),
            ("x = [1, 2]'; println(sum(x)) # rm(\"/\")", ""),
            ("for i in 1:3\n  println(i)\nend", ""),
        ],
    );
}

#[test]
fn lisp() {
    check(
        Language::Lisp,
        &[
            ("(delete-directory \"~/x\" t)", "delete remove /home/me/x certain -r"),
            (
                "(delete-directory (expand-file-name \"~/x\") t nil)",
                "delete remove /home/me/x certain -r",
            ),
            (
                "(let ((d (expand-file-name \"x\" (getenv \"HOME\")))) (delete-directory d t))",
                "delete remove /home/me/x certain -r",
            ),
            ("(setq d \"/srv/x\") (delete-file d)", "delete remove /srv/x certain"),
            ("(shell-command \"rm -rf /x\")", "$ rm -rf /x"),
            ("(shell-command (concat \"rm -rf \" \"/x\"))", "$ rm -rf /x"),
            ("(call-process \"rm\" nil nil nil \"-rf\" \"/x\")", "$ rm -rf /x"),
            ("(start-process \"a\" nil \"rm\" \"-rf\" \"/x\")", "$ rm -rf /x"),
            ("(progn (mapc #'delete-file '(\"a\")))", ""),
            (
                "(insert-file-contents \"~/.ssh/id_rsa\")",
                "read read-file /home/me/.ssh/id_rsa certain",
            ),
            ("(write-region \"x\" nil \"out.txt\")", "overwrite write-file /shop/out.txt certain"),
            ("(message \"%s\" (+ 1 2)) ; (delete-file \"/x\")", ""),
            (
                "(dolist (f (directory-files \"/x\" t)) (delete-file f))",
                "delete remove /x/* possible",
            ),
        ],
    );
}

#[test]
fn others() {
    check(
        Language::Nim,
        &[
            ("import os\nremoveDir(getHomeDir() / \"x\")", "delete remove /home/me/x certain -r"),
            ("import osproc\ndiscard execCmd(\"rm -rf /x\")", "$ rm -rf /x"),
            ("let p = \"/etc/passwd\"\nremoveFile p", "delete remove /etc/passwd certain"),
            ("proc wipe(d: string) =\n  removeDir(d)\necho \"x\"", "> x"),
        ],
    );
    check(
        Language::VbScript,
        &[
            (
                "CreateObject(\"Scripting.FileSystemObject\").DeleteFolder \"/srv/x\", True",
                "delete remove /srv/x certain -r",
            ),
            (
                "Set fso = CreateObject(\"Scripting.FileSystemObject\")\nfso.DeleteFile \"/srv/x\"",
                "delete remove /srv/x certain",
            ),
            (
                "CreateObject(\"WScript.Shell\").Run \"git reset --hard\", 0, True",
                "$ git reset --hard",
            ),
            ("WScript.Echo \"DeleteFolder\" ' fso.DeleteFolder \"/\"", "> DeleteFolder"),
        ],
    );
    check(
        Language::Other,
        &[
            ("let _ = Sys.command \"rm -rf /x\"", "$ rm -rf /x"),
            ("File.rm_rf!(Path.expand(\"~/x\"))", "delete remove /home/me/x certain -r"),
            ("main = removeDirectoryRecursive \"/srv/x\"", "delete remove /srv/x certain -r"),
            ("main = callCommand \"rm -rf /x\"", "$ rm -rf /x"),
        ],
    );
    check(
        Language::JavaScript,
        &[
            (
                "$.NSFileManager.defaultManager.removeItemAtPathError('/x', null)",
                "delete remove /x certain -r",
            ),
            (
                "new ActiveXObject('Scripting.FileSystemObject').DeleteFolder('/x', true);",
                "delete remove /x certain -r",
            ),
        ],
    );
    check(Language::Perl, &[("unlink $_ for dir(\"/x\")", "delete remove /x/* possible")]);
}

#[test]
fn entries_of_folders_are_followed() {
    check(
        Language::Rust,
        &[
            (
                "fn purge<P: AsRef<Path>>(dir: P) -> std::io::Result<()> {\n    for entry in fs::read_dir(dir)? {\n        let entry = entry?;\n        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path())?; } else { fs::remove_file(entry.path())?; }\n    }\n    Ok(())\n}\nfn main() { purge(\"/srv/x\").unwrap(); }",
                "delete remove /srv/x/* possible -r | delete remove /srv/x/* possible",
            ),
            ("fn clean(dir: &Path) { std::fs::remove_dir_all(dir.join(\"cache\")).ok(); }", ""),
        ],
    );
    check(
        Language::Go,
        &[(
            "import p \"path/filepath\"\nfunc main() { es, _ := os.ReadDir(\"/srv\"); for _, e := range es { os.RemoveAll(p.Join(\"/srv\", e.Name())) } }",
            "delete remove /srv/* possible -r",
        )],
    );
    check(
        Language::Lisp,
        &[
            (
                "(mapc (lambda (f) (delete-directory f t)) (directory-files \"/x\" t))",
                "delete remove /x/* possible -r",
            ),
            ("(mapc #'delete-file (directory-files \"/x\" t))", "delete remove /x/* possible"),
            ("(uiop:delete-directory-tree #P\"/x/\" :validate t)", "delete remove /x certain -r"),
        ],
    );
    check(
        Language::Other,
        &[
            (
                "f <- file.path(Sys.getenv(\"HOME\"), \"x\"); unlink(f, recursive=TRUE)",
                "delete remove /home/me/x certain -r",
            ),
            (
                "file.remove(list.files(\"~\", full.names=TRUE))",
                "delete remove /home/me/* possible",
            ),
        ],
    );
    check(
        Language::Jvm,
        &[(
            "Files.walk(Paths.get(System.getProperty(\"user.home\"))).sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);",
            "delete remove /home/me/** possible",
        )],
    );
}

#[test]
fn lists_of_words_are_followed() {
    check(
        Language::Swift,
        &[(
            "func shell(_ args: String...) {\n  let task = Process()\n  task.launchPath = \"/usr/bin/env\"\n  task.arguments = args\n  task.launch()\n}\nshell(\"rm\", \"-rf\", \"/x\")",
            "$ rm -rf /x",
        )],
    );
    check(
        Language::C,
        &[
            (
                "int main(){ char *args[3]; args[0]=\"rm\"; args[1]=\"-rf\"; args[2]=\"/x\"; execv(\"/bin/rm\", args); }",
                "$ /bin/rm -rf /x",
            ),
            (
                "void wipe(const char *dir) {\n  DIR *d = opendir(dir);\n  struct dirent *e;\n  while ((e = readdir(d))) {\n    char path[4096];\n    sprintf(path, \"%s/%s\", dir, e->d_name);\n    if (e->d_type == DT_DIR) { wipe(path); rmdir(path); } else unlink(path);\n  }\n}\nint main() { wipe(\"/srv/x\"); return 0; }",
                "delete remove-empty-directory /srv/x/* possible | delete remove /srv/x/* possible",
            ),
        ],
    );
}
